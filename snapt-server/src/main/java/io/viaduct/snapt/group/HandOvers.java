package io.viaduct.snapt.group;

import io.viaduct.service.operations.Tally;
import io.viaduct.snapt.binding.Session;
import io.viaduct.snapt.binding.SessionEnd;
import io.viaduct.snapt.control.Drain;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Hands the sessions of a SNAPT that drains over to other members, a few at a time; each attempt
/// is a [HandOver]. Owner: the control thread.
public final class HandOvers implements Drain.Mover {
  private static final Logger LOG = LoggerFactory.getLogger(HandOvers.class);

  /// Sessions that are handed over at a time: a hand-over takes about two round trips of the
  /// device, and each costs the device's TLS handshake at the other SNAPT.
  static final int AT_ONCE = 16;

  /// Attempts per session, each at the next member.
  static final int ATTEMPTS_MAX = 3;

  // Packets of the device that are under way by the old session are still translated.
  private static final long UNDER_WAY_MS = 200;

  // For the Goodbye and the last receipt.
  private static final long LEAVE_MS = 3_000;

  private final GroupSettings settings;
  private final HandOver.Parts parts;
  private final Host host;
  private final InstantSource clock;
  private final Tally<MoveOutcome> outcomes;
  private final Map<UUID, Move> moves = new HashMap<>();
  private long number;
  private int running;

  HandOvers(
      GroupSettings settings,
      HandOver.Parts parts,
      Host host,
      InstantSource clock,
      GroupCounts counts) {
    this.settings = settings;
    this.parts = parts;
    this.host = host;
    this.clock = clock;
    this.outcomes = counts.moves();
  }

  @Override
  public void prepare() {
    parts.members().connect();
  }

  /// Hands sessions over, some at a time. A device that is away is waited for until the idle limit
  /// ends its session: its sockets live on if it comes back, here or at the next start of this
  /// SNAPT.
  @Override
  public List<Session> move(List<Session> all) {
    moves
        .values()
        .removeIf(
            each -> each.attempt == null && parts.registry().find(each.session.id()).isEmpty());
    return all.stream().filter(each -> !goesOn(each)).toList();
  }

  private boolean goesOn(Session session) {
    Move move = moves.computeIfAbsent(session.id(), _ -> new Move(session));
    if (move.holdsDrain() || parts.control().devices().isAway(session)) {
      return true;
    }
    boolean can = move.mayBegin() && parts.control().devices().canMove(session);
    if (can && running < AT_ONCE) {
      move.begin();
    }
    return can;
  }

  // The Unix time in ms at least: an attempt of the process before has a smaller number.
  private long nextNumber() {
    number = Math.max(number + 1, clock.millis());
    return number;
  }

  /// The hand-over of one session.
  private final class Move implements HandOver.Owner {
    private final Session session;
    private int attempts;
    private boolean isMoved;
    private @Nullable HandOver attempt; // that is not over
    private String to = "";

    private Move(Session session) {
      this.session = session;
    }

    private boolean mayBegin() {
      return attempt == null && !isMoved && attempts < ATTEMPTS_MAX;
    }

    private boolean holdsDrain() {
      HandOver present = attempt;
      return isMoved || present != null && present.holdsDrain();
    }

    private void begin() {
      List<GroupSettings.Member> serving =
          settings.members().stream()
              .filter(each -> parts.control().relays().serving(each.id()).isPresent())
              .filter(this::mayHave)
              .toList();
      if (serving.isEmpty()) {
        attempts++; // a member may be back at the next call
        outcomes.count(MoveOutcome.NO_MEMBER);
        return;
      }
      to = serving.get(attempts % serving.size()).id();
      attempts++;
      running++;
      Intent intent = new Intent(session.address(), to, nextNumber());
      HandOver begun = new HandOver(parts, session, intent, this);
      attempt = begun;
      begun.begin();
    }

    /// An address of another pool goes to its owner only: any other member would refuse it. A
    /// session with IPv6 goes only where its packets can be led.
    private boolean mayHave(GroupSettings.Member member) {
      boolean isLed =
          !host.hasIpv6() || !session.terms().inner().hasIpv6() || !member.nextHop6().isEmpty();
      return isLed && (session.slot() >= 0 || member.pool().has(session.address()));
    }

    @Override
    public void leftDevice() {
      running--;
    }

    @Override
    public void over(MoveOutcome outcome, String words) {
      HandOver ended = attempt;
      attempt = null;
      outcomes.count(outcome);
      isMoved = outcome == MoveOutcome.MOVED || outcome == MoveOutcome.ROUTE_FAILED;
      if (!isMoved) {
        LOG.warn("{} is not handed over to {}: {}", session, to, words);
        return;
      }
      LOG.info("{} is handed over to {}: {}", session, to, outcome);
      if (ended != null) {
        parts.control().thread().later(UNDER_WAY_MS, ended::tellDone);
      }
      parts
          .control()
          .thread()
          .later(LEAVE_MS, () -> parts.registry().end(session, SessionEnd.MOVED));
    }
  }
}
