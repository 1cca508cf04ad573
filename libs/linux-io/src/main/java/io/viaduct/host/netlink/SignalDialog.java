package io.viaduct.host.netlink;

import io.viaduct.host.linux.Errno;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Asks the kernel for the signal strength of wireless links, one request after the other. Does no
/// I/O and reads no clock: the owner calls [#request] once per period and after each answer.
///
/// The kernel says which links are wireless: it refuses the question about any other link. Such a
/// link is not asked again while it is watched. A kernel without wireless links has no family
/// `nl80211`; the family is looked for again only for a link that is new.
final class SignalDialog implements StationMessages.Listener {
  private final StationMessages messages = new StationMessages();
  private final SignalListener listener;
  private final Set<Integer> watched = new HashSet<>();
  private final Set<Integer> wired = new HashSet<>();
  private final ArrayDeque<Integer> waiting = new ArrayDeque<>();
  private boolean isFamilyAbsent;
  private boolean isAsking;
  private int family;
  private int sequence;
  private int asked; // the link of the open request; 0 for the family

  SignalDialog(SignalListener listener) {
    this.listener = listener;
  }

  /// Sets the usable links.
  void watch(Set<Integer> links) {
    isFamilyAbsent &= watched.containsAll(links); // a driver may have been loaded for a new link
    watched.clear();
    watched.addAll(links);
    wired.retainAll(links);
    waiting.removeIf(link -> !links.contains(link));
  }

  /// Returns true while there may be a wireless link, so that the owner must call [#begin] once per
  /// period.
  boolean isNeeded() {
    return !isFamilyAbsent && wired.size() < watched.size();
  }

  /// Begins a period. An answer of the period before that is still missing is no longer awaited.
  void begin() {
    isAsking = false;
    waiting.clear();
    for (int link : watched) {
      if (!wired.contains(link)) {
        waiting.add(link);
      }
    }
  }

  /// Returns the next request to send now, or null if there is none.
  byte @Nullable [] request() {
    if (isAsking || isFamilyAbsent || waiting.isEmpty()) {
      return null;
    }
    isAsking = true;
    sequence++;
    if (family == 0) {
      asked = 0;
      return StationMessages.familyRequest(sequence);
    }
    asked = waiting.remove();
    return StationMessages.stationRequest(family, sequence, asked);
  }

  /// Reads the messages of one receive.
  void read(ByteBuffer bytes) {
    messages.read(bytes, family, this);
  }

  @Override
  public void family(int number) {
    family = number;
  }

  @Override
  public void signal(int linkIndex, int dBm) {
    if (watched.contains(linkIndex)) {
      listener.signal(linkIndex, dBm);
    }
  }

  @Override
  public void ended(int of, int error) {
    if (of != sequence || !isAsking) {
      return; // the answer to an older request
    }
    isAsking = false;
    if (asked == 0) {
      isFamilyAbsent = family == 0;
      return;
    }
    switch (Errno.of(error)) {
      case ENOENT -> family = 0; // the module was unloaded; when it returns it has another number
      case EINVAL, ENODEV, EOPNOTSUPP -> wired.add(asked);
      default -> {} // an answer, or a failure that passes
    }
  }

  /// Returns the number of skipped messages.
  long malformed() {
    return messages.malformed();
  }
}
