// The host in the place of a card, for programs that are told its address: Python's tests load it.
#include "cuda/on_host.hpp"

extern "C" __attribute__((visibility("default"))) starling::cuda::Machine* card_on_host() {
  return new starling::cuda::OnHost;
}
