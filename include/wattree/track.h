/* Tell `wattree track` where epochs and steps begin and end. Plain C, no dependencies.
 *
 *   for (int i = 0; i < epochs; ++i) {
 *     wattree_epoch_begin(NULL);
 *     train();
 *     wattree_epoch_end();
 *   }
 *
 * Without a tracker (WATTREE_TRACK is not set, or the tracker is gone) every function does nothing
 * and returns at once. No function ever fails, prints, or waits, with one exception that the user
 * asks for: while the run is paused, wattree_epoch_begin() waits until it is resumed. All may be
 * called from any thread; a process that was forked has a connection of its own.
 *
 * Where several processes of one run call them (the ranks of a distributed training), the epochs of
 * the first one count, and all of them wait while the run is paused.
 */
#ifndef WATTREE_TRACK_H
#define WATTREE_TRACK_H

#ifdef __cplusplus
extern "C" {
#endif

/* An epoch begins. `name` is shown and kept; NULL gives it its number. An epoch that is still open
 * ends here. */
void wattree_epoch_begin(const char* name);
/* The epoch that was begun last ends. */
void wattree_epoch_end(void);

/* Steps: parts that are repeated, such as "forward". They may nest and overlap, also with epochs;
 * energy is summed up over all steps of one name. */
void wattree_step_begin(const char* name);
void wattree_step_end(const char* name);

/* 1 where a tracker listens. */
int wattree_is_tracked(void);
/* 1 where the user has asked for a pause: wattree_epoch_begin() would wait. */
int wattree_is_paused(void);

#ifdef __cplusplus
}
#endif

#endif
