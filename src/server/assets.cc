#include "server/assets.h"

#include "server/api/errors.h"

namespace hymt::server {
namespace {

constexpr const char* kLabel = "/";  // all files of the page count as the page

constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'";

std::string_view without_weakness(std::string_view tag) {
  return tag.substr(0, 2) == "W/" ? tag.substr(2) : tag;
}

http::Response page_file(const Asset& asset, std::string_view if_none_match) {
  http::Response response;
  response.headers = {{"ETag", asset.etag},
                      // Kept, but asked about each time: a new version shows at once.
                      {"Cache-Control", "no-cache"},
                      {"Content-Security-Policy", kPolicy},
                      {"X-Content-Type-Options", "nosniff"},
                      {"Referrer-Policy", "no-referrer"}};
  if (etag_matches(if_none_match, asset.etag)) {
    response.status = 304;
    return response;
  }
  response.content_type = asset.content_type;
  response.body = asset.bytes;
  return response;
}

}  // namespace

bool etag_matches(std::string_view if_none_match, std::string_view etag) {
  // Tags may hold commas inside their quotes; ours do not, so splitting at commas finds ours.
  while (!if_none_match.empty()) {
    const auto comma = std::min(if_none_match.find(','), if_none_match.size());
    const auto one = http::trimmed(if_none_match.substr(0, comma));
    if (one == "*" || without_weakness(one) == without_weakness(etag)) return true;
    if_none_match.remove_prefix(std::min(comma + 1, if_none_match.size()));
  }
  return false;
}

void add_assets(http::Site& site, const std::vector<Asset>& assets) {
  for (const Asset& asset : assets) {
    const auto answer = [asset](const std::shared_ptr<http::Exchange>& exchange) {
      exchange->respond(page_file(asset, exchange->request().header("If-None-Match")));
    };
    site.add(http::Route{"GET", asset.path, answer, &api::kNativeErrors, false, kLabel});
  }
}

}  // namespace hymt::server
