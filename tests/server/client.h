// A client as plain as can be: raw bytes out, HTTP/1.1 responses in. What a library would refuse
// to send is what servers must be tested with.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace hymt::test {

struct HttpReply {
  int status = 0;  // 0: the connection ended instead
  std::string head;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;                            // chunks joined
};

// Blocking, with a limit of 20 s on every wait. One connection.
class Client {
 public:
  // `receive_buffer`: bytes the kernel may keep for us; 0: its default.
  explicit Client(uint16_t port, int receive_buffer = 0);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  bool send(std::string_view bytes);  // false: the other side has closed
  HttpReply read(bool head_only = false);
  HttpReply read_head() { return read(true); }  // of a stream, before read_event()
  std::string read_some();                      // whatever arrives next; empty: closed
  std::string read_event();  // the next event of a stream, without "data: "; empty: ended
  bool closed();             // waits for the end of the connection
  void half_close();
  void close();

  // The usual request.
  HttpReply get(std::string_view path);
  HttpReply post(std::string_view path, std::string_view body);

 private:
  bool fill();  // reads more into rest_
  bool read_chunk();

  int socket_ = -1;
  std::string rest_;       // received, not yet used
  std::string unchunked_;  // of a stream under way
  bool stream_ended_ = false;
};

// One request on a connection of its own.
HttpReply get(uint16_t port, std::string_view path);
HttpReply post(uint16_t port, std::string_view path, std::string_view body);

std::string get_request(std::string_view path, std::string_view headers = {});
std::string post_request(std::string_view path, std::string_view body,
                         std::string_view headers = "Content-Type: application/json\r\n");

}  // namespace hymt::test
