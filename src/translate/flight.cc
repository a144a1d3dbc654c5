#include "translate/flight.h"

namespace hymt::translate {

void Flight::launched(const std::vector<memory::Id>& ids) {
  std::vector<memory::Id> unwanted;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (size_t i = 0; i < ids.size(); ++i) {
      requests_[i].id = ids[i];
      requests_[i].launched = true;
      if (requests_[i].unwanted && !requests_[i].landed) unwanted.push_back(ids[i]);
    }
  }
  for (const auto id : unwanted) leave_(id);
}

void Flight::landed(size_t index) {
  const std::lock_guard<std::mutex> lock(mutex_);
  requests_[index].landed = true;
}

void Flight::cancel(size_t index) {
  memory::Id id = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    Request& request = requests_[index];
    if (request.landed || request.unwanted) return;
    request.unwanted = true;
    if (!request.launched) return;
    id = request.id;
  }
  leave_(id);
}

void Flight::cancel_all() {
  for (size_t i = 0; i < requests_.size(); ++i) cancel(i);
}

}  // namespace hymt::translate
