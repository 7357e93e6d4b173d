/* The training program's end of the socket that src/runs/track/epoch_socket.h describes. */
#define _GNU_SOURCE
#include "wattree/track.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* How long an epoch's mark waits for a tracker that does not read; steps do not wait at all. */
enum { kPatienceMs = 100, kMostName = 200 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int connection = -1;
static pid_t owner = 0; /* The process that the connection belongs to; 0 before the first try. */
static int is_paused = 0;

/* A thread that forks must not do so while another holds the lock: the child would never get it. */
static void take_lock(void) { pthread_mutex_lock(&lock); }
static void leave_lock(void) { pthread_mutex_unlock(&lock); }
static void guard_forks(void) { pthread_atfork(take_lock, leave_lock, leave_lock); }

static void disconnect(void) {
  if (connection >= 0) close(connection);
  connection = -1;
  is_paused = 0;
}

/* Once for each process: a tracker that was not there at the beginning does not come. */
static int is_connected(void) {
  static const char kScheme[] = "unix:";
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  const char* address = NULL;
  struct sockaddr_un name;
  size_t length = 0;
  if (owner == getpid()) return connection >= 0;
  pthread_once(&once, guard_forks);
  disconnect(); /* The parent keeps its own. */
  owner = getpid();
  address = getenv("WATTREE_TRACK");
  if (address == NULL || strncmp(address, kScheme, sizeof kScheme - 1) != 0) return 0;
  address += sizeof kScheme - 1;
  length = strlen(address);
  memset(&name, 0, sizeof name);
  name.sun_family = AF_UNIX;
  if (length == 0 || length >= sizeof name.sun_path) return 0;
  memcpy(name.sun_path, address, length);
  connection = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (connection < 0) return 0;
  if (connect(connection, (const struct sockaddr*)&name, sizeof name) != 0) disconnect();
  return connection >= 0;
}

/* Takes in what the tracker has said. */
static void listen_to_tracker(void) {
  char said[16];
  ssize_t got = 0;
  while (connection >= 0) {
    got = recv(connection, said, sizeof said, MSG_DONTWAIT);
    if (got > 0) {
      is_paused = said[0] == 'P';
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      disconnect();
    } else if (errno != EINTR) {
      return;
    }
  }
}

static void tell(char what, const char* name, int patience_ms) {
  char packet[kMostName + 48];
  struct timespec now;
  int length = 0;
  struct pollfd room;
  clock_gettime(CLOCK_BOOTTIME, &now);
  length = snprintf(packet, sizeof packet, "%c %lld %.*s", what,
                    (long long)now.tv_sec * 1000000000LL + now.tv_nsec, (int)kMostName,
                    name != NULL ? name : "");
  if (length <= 0) return;
  while (connection >= 0) {
    if (send(connection, packet, (size_t)length, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0) return;
    if (errno == EINTR) continue;
    if (errno != EAGAIN) {
      disconnect();
      return;
    }
    room.fd = connection;
    room.events = POLLOUT;
    room.revents = 0;
    if (patience_ms <= 0 || poll(&room, 1, patience_ms) <= 0) return;
    patience_ms = 0;
  }
}

/* Until the tracker says so, or is gone. Other threads may tell of their steps meanwhile. */
static void wait_while_paused(void) {
  struct pollfd word;
  listen_to_tracker();
  if (!is_paused) return;
  tell('W', NULL, kPatienceMs);
  while (is_paused) {
    word.fd = connection;
    word.events = POLLIN;
    word.revents = 0;
    pthread_mutex_unlock(&lock);
    poll(&word, 1, 1000);
    pthread_mutex_lock(&lock);
    listen_to_tracker();
  }
}

void wattree_epoch_begin(const char* name) {
  const int number = errno;
  pthread_mutex_lock(&lock);
  if (is_connected()) {
    wait_while_paused();
    tell('B', name, kPatienceMs);
  }
  pthread_mutex_unlock(&lock);
  errno = number;
}

static void tell_alone(char what, const char* name, int patience_ms) {
  const int number = errno;
  pthread_mutex_lock(&lock);
  if (is_connected()) tell(what, name, patience_ms);
  pthread_mutex_unlock(&lock);
  errno = number;
}

void wattree_epoch_end(void) { tell_alone('E', NULL, kPatienceMs); }
void wattree_step_begin(const char* name) { tell_alone('b', name, 0); }
void wattree_step_end(const char* name) { tell_alone('e', name, 0); }

int wattree_is_tracked(void) {
  int answer = 0;
  pthread_mutex_lock(&lock);
  answer = is_connected();
  if (answer) listen_to_tracker();
  answer = connection >= 0;
  pthread_mutex_unlock(&lock);
  return answer;
}

int wattree_is_paused(void) {
  int answer = 0;
  pthread_mutex_lock(&lock);
  if (is_connected()) listen_to_tracker();
  answer = is_paused;
  pthread_mutex_unlock(&lock);
  return answer;
}
