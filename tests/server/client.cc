#include "client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <stdexcept>
#include <utility>

namespace hymt::test {

Client::Client(uint16_t port, int receive_buffer) {
  socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (receive_buffer > 0) {
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  }
  const timeval limit{20, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) close();
}

Client::~Client() {
  close();
}

void Client::close() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
}

void Client::half_close() {
  ::shutdown(socket_, SHUT_WR);
}

bool Client::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

bool Client::fill() {
  char buffer[16384];
  const ssize_t n = ::recv(socket_, buffer, sizeof buffer, 0);
  if (n <= 0) return false;
  rest_.append(buffer, static_cast<size_t>(n));
  return true;
}

std::string Client::read_some() {
  if (rest_.empty()) fill();
  return std::exchange(rest_, {});
}

bool Client::closed() {
  char byte;
  while (true) {
    const ssize_t n = ::recv(socket_, &byte, 1, 0);
    if (n == 0) return true;
    if (n < 0) return errno == ECONNRESET;
  }
}

HttpReply Client::read(bool head_only) {
  HttpReply reply;
  size_t end;
  while ((end = rest_.find("\r\n\r\n")) == std::string::npos) {
    if (!fill()) return reply;
  }
  reply.head = rest_.substr(0, end + 2);
  rest_.erase(0, end + 4);
  reply.status = std::stoi(reply.head.substr(9, 3));
  for (size_t at = reply.head.find("\r\n") + 2; at < reply.head.size();) {
    const size_t eol = reply.head.find("\r\n", at);
    const std::string line = reply.head.substr(at, eol - at);
    std::string name = line.substr(0, line.find(':'));
    for (char& c : name) c = static_cast<char>(std::tolower(c));
    reply.headers[name] = line.substr(line.find(':') + 2);
    at = eol + 2;
  }
  unchunked_.clear();
  stream_ended_ = false;
  if (head_only || reply.status == 100 || reply.status == 204 || reply.status == 304) return reply;
  if (reply.headers.contains("content-length")) {
    const size_t length = std::stoul(reply.headers["content-length"]);
    while (rest_.size() < length) {
      if (!fill()) return {};
    }
    reply.body = rest_.substr(0, length);
    rest_.erase(0, length);
  } else if (reply.headers.contains("transfer-encoding")) {
    while (read_chunk()) {
    }
    if (!stream_ended_) return {};
    reply.body = std::exchange(unchunked_, {});
  } else {
    while (fill()) {
    }
    reply.body = std::exchange(rest_, {});
  }
  return reply;
}

bool Client::read_chunk() {
  size_t eol;
  while ((eol = rest_.find("\r\n")) == std::string::npos) {
    if (!fill()) return false;
  }
  const size_t size = std::stoul(rest_.substr(0, eol), nullptr, 16);
  while (rest_.size() < eol + 2 + size + 2) {
    if (!fill()) return false;
  }
  if (rest_.substr(eol + 2 + size, 2) != "\r\n") throw std::runtime_error("a chunk without end");
  unchunked_ += rest_.substr(eol + 2, size);
  rest_.erase(0, eol + 2 + size + 2);
  stream_ended_ = size == 0;
  return size > 0;
}

std::string Client::read_event() {
  size_t end;
  while ((end = unchunked_.find("\n\n")) == std::string::npos) {
    if (stream_ended_ || !read_chunk()) return {};
  }
  std::string event = unchunked_.substr(0, end);
  unchunked_.erase(0, end + 2);
  if (event.substr(0, 6) != "data: ") throw std::runtime_error("not an event: " + event);
  return event.substr(6);
}

std::string get_request(std::string_view path, std::string_view headers) {
  std::string out = "GET ";
  out.append(path).append(" HTTP/1.1\r\nHost: 127.0.0.1\r\n").append(headers).append("\r\n");
  return out;
}

std::string post_request(std::string_view path, std::string_view body, std::string_view headers) {
  std::string out = "POST ";
  out.append(path).append(" HTTP/1.1\r\nHost: 127.0.0.1\r\n").append(headers);
  out.append("Content-Length: ").append(std::to_string(body.size())).append("\r\n\r\n");
  return out.append(body);
}

HttpReply Client::get(std::string_view path) {
  send(get_request(path));
  return read();
}

HttpReply Client::post(std::string_view path, std::string_view body) {
  send(post_request(path, body));
  return read();
}

HttpReply get(uint16_t port, std::string_view path) {
  return Client(port).get(path);
}

HttpReply post(uint16_t port, std::string_view path, std::string_view body) {
  return Client(port).post(path, body);
}

}  // namespace hymt::test
