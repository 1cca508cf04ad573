package io.viaduct.cnapt;

import io.viaduct.cnapt.control.HandshakeRace;
import io.viaduct.cnapt.control.Snapt;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Decides which lines have a session, or look for one: `snapts.sessions` of them, and one more, the
/// stand-in, while none of them serves new flows because their SNAPTs drain or are silent (ADR
/// 0050). The other lines sleep.
///
///     asleep ──no line serves, and another SNAPT answers──▶ open
///        ▲                                                   │
///        └──as many others serve as are wanted, and its ◀────┘
///           last flow is over or its SNAPT has not come back
///
/// While one line too many serves, one takes no new flows: one without flows, or else the one that
/// was opened last. Owner: the control loop.
///
/// @param <L> a line
final class OpenLines<L extends OpenLines.Line> {
  private static final Logger LOG = LoggerFactory.getLogger(OpenLines.class);

  /// Pauses between two searches in which no SNAPT has answered: the network may be the cause.
  static final long PAUSE_NS_MIN = 1_000_000_000L;

  static final long PAUSE_NS_MAX = 30_000_000_000L;

  /// One line. Called on the control loop.
  interface Line {
    /// Returns the name of the SNAPT, for a person.
    String name();

    /// Returns whether there is a session.
    boolean hasSession();

    /// Returns whether the SNAPT says that it drains.
    boolean isDraining();

    /// Returns whether the SNAPT answers, as far as it is known.
    boolean answers();

    /// Returns whether the session is beside that of another line at its SNAPT, and ends with its
    /// last flow.
    boolean isEnding();

    /// Returns whether flows are open.
    boolean hasFlows();

    /// Returns whether the SNAPT is to be left, and has no flow any more.
    boolean isEmptied();

    /// Returns whether another SNAPT is being asked to take the line over.
    boolean isMoving();

    /// Looks for a session, first at a SNAPT that has answered.
    void open(HandshakeRace.Winner first);

    /// Looks for no session any more. [OpenLines#slept] follows, if the line has none.
    void sleep(String why);

    /// Lets new flows go elsewhere because there is one line too many, or takes them again.
    void surplus(boolean isOne);

    /// Leaves the SNAPT, unless a flow has begun.
    void leave(String why);
  }

  private final List<L> lines;
  private final int wanted;
  private final Supplier<List<Snapt>> listed;
  private final BiConsumer<List<Snapt>, Consumer<HandshakeRace.@Nullable Winner>> race;
  private final LongSupplier nanoTime;
  private final List<L> open; // the one that was opened last is the last
  private long pauseNs = PAUSE_NS_MIN;
  private boolean isPausing;
  private long pausedNs;

  /// @param lines one more than wanted; the last one is asleep
  /// @param wanted number of lines that are open in general
  /// @param listed returns the SNAPTs of the list, in the order of the device
  /// @param race finds out which SNAPT that no line has answers, and tells the best one; null for
  ///   none. Does nothing while it is under way
  OpenLines(
      List<L> lines,
      int wanted,
      Supplier<List<Snapt>> listed,
      BiConsumer<List<Snapt>, Consumer<HandshakeRace.@Nullable Winner>> race,
      LongSupplier nanoTime) {
    this.lines = List.copyOf(lines);
    this.wanted = wanted;
    this.listed = listed;
    this.race = race;
    this.nanoTime = nanoTime;
    this.open = new ArrayList<>(lines.subList(0, wanted));
  }

  /// Looks whether a line should be opened or closed, because the state of one has changed.
  void look() {
    List<L> serving = serving();
    if (!serving.isEmpty()) {
      pauseNs = PAUSE_NS_MIN;
      isPausing = false;
    }
    if (open.size() > wanted && serving.size() >= wanted) {
      open.stream()
          .filter(each -> !each.hasSession())
          .limit(open.size() - wanted)
          .toList()
          .forEach(each -> each.sleep("other SNAPTs serve"));
    }
    L surplus = serving.size() > wanted ? surplusOf(serving) : null;
    for (L each : open) {
      each.surplus(each == surplus);
      if (each.isDraining() && each.isEmptied() && isSurplus(each)) {
        each.leave("it drains, and has no flow of this device any more");
      }
    }
    if (isNeeded(false)) {
      seek(false);
    }
  }

  /// Takes that a packet of this host had no SNAPT that serves.
  void unserved() {
    if (isNeeded(true)) {
      seek(true);
    }
  }

  /// Takes that a line sleeps.
  void slept(L line) {
    open.remove(line);
  }

  /// Returns whether as many others serve as are wanted, so that the line needs no other session
  /// after the present one.
  boolean isSurplus(L line) {
    return serving().stream().filter(each -> each != line).count() >= wanted;
  }

  /// Returns whether a line is open.
  boolean isOpen(L line) {
    return open.contains(line);
  }

  private List<L> serving() {
    return open.stream()
        .filter(
            each -> each.hasSession() && !each.isDraining() && each.answers() && !each.isEnding())
        .toList();
  }

  private L surplusOf(List<L> serving) {
    return serving.reversed().stream()
        .filter(each -> !each.hasFlows())
        .findFirst()
        .orElse(serving.getLast());
  }

  // A line whose SNAPT is silent needs a stand-in only for packets: an idle device waits.
  private boolean isNeeded(boolean hasPackets) {
    return open.size() <= wanted
        && serving().isEmpty()
        && open.stream().anyMatch(each -> fails(each, hasPackets));
  }

  private static boolean fails(Line line, boolean hasPackets) {
    return line.hasSession()
        && !line.isMoving()
        && (line.isDraining() ? line.hasFlows() : !line.answers() && hasPackets);
  }

  private void seek(boolean hasPackets) {
    long nowNs = nanoTime.getAsLong();
    if (!isPausing || nowNs - pausedNs >= pauseNs) {
      race.accept(listed.get(), winner -> found(winner, hasPackets));
    }
  }

  private void found(HandshakeRace.@Nullable Winner winner, boolean hasPackets) {
    if (!isNeeded(hasPackets)) {
      return;
    }
    if (winner == null) {
      pauseNs = isPausing ? Math.min(PAUSE_NS_MAX, 2 * pauseNs) : PAUSE_NS_MIN;
      isPausing = true;
      pausedNs = nanoTime.getAsLong();
      return;
    }
    L standIn = lines.stream().filter(each -> !open.contains(each)).findFirst().orElseThrow();
    LOG.info("{} serves no new flow: {} is asked to take them", names(), winner.at());
    open.add(standIn);
    standIn.open(winner);
  }

  private String names() {
    return String.join(" and ", open.stream().filter(Line::hasSession).map(Line::name).toList());
  }
}
