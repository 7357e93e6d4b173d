/* A training that tells `wattree track` of its epochs and steps. By itself it runs as if nobody
 * listened: track_in_c                       no tracker wattree track -- track_in_c      energy and
 * CO2 of each epoch */
#include <stdio.h>

#include "wattree/track.h"
#include "wattree/version.h"

static double train(void) {
  double sum = 0;
  int i = 0;
  for (i = 1; i < 20000000; ++i) sum += 1.0 / i;
  return sum;
}

int main(void) {
  double loss = 0;
  int epoch = 0;
  printf("libwattree %s, %s\n", wattree_version(),
         wattree_is_tracked() ? "tracked" : "not tracked");
  for (epoch = 0; epoch < 3; ++epoch) {
    wattree_epoch_begin(NULL);
    wattree_step_begin("forward");
    loss += train();
    wattree_step_end("forward");
    wattree_epoch_end();
  }
  printf("done: %.3f\n", loss);
  return 0;
}
