package io.viaduct.snapt.group;

import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.viaduct.snapt.binding.Arrival;
import io.viaduct.snapt.binding.Session;
import io.viaduct.snapt.binding.SessionEnd;
import io.viaduct.snapt.binding.SessionRegistry;
import io.viaduct.snapt.control.ControlServer;
import io.viaduct.snapt.operations.Tally;
import io.viaduct.snapt.relay.Relay;
import io.viaduct.tunnel.control.v1.Moved;
import io.viaduct.usage.v1.TakeOverAnswer;
import io.viaduct.usage.v1.TakeOverRequest;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Hands the sessions of a SNAPT that drains over to other members, a few at a time:
///
///     TakeOver ──PREPARED──▶ Moved to the device ──INSTALLED──▶ route, Moved (done) ──▶ the device says Goodbye
///
/// Until INSTALLED the session here is the one that carries, and goes on if anything fails. Owner:
/// the control thread.
public final class HandOvers implements ControlServer.Mover {
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
  private final SessionRegistry registry;
  private final ControlServer control;
  private final Relay relay;
  private final Members members;
  private final Returns returns;
  private final Host host;
  private final Executor thread;
  private final Tally<MoveOutcome> outcomes;
  private final Map<UUID, Move> moves = new HashMap<>();
  private long number;
  private int running;

  /// @param returns used on the group's thread
  /// @param thread the group's thread
  HandOvers(
      GroupSettings settings,
      SessionRegistry registry,
      ControlServer control,
      Relay relay,
      Members members,
      Returns returns,
      Host host,
      Executor thread,
      GroupCounts counts) {
    this.settings = settings;
    this.registry = registry;
    this.control = control;
    this.relay = relay;
    this.members = members;
    this.returns = returns;
    this.host = host;
    this.thread = thread;
    this.outcomes = counts.moves();
  }

  @Override
  public void prepare() {
    members.connect();
  }

  @Override
  public boolean move() {
    for (Iterator<Move> each = moves.values().iterator(); each.hasNext(); ) {
      Move move = each.next();
      if (!move.runs && registry.find(move.session.id()).isEmpty()) {
        each.remove();
      }
    }
    boolean goesOn = false;
    for (Session session : List.copyOf(registry.sessions())) {
      Move move = moves.computeIfAbsent(session.id(), _ -> new Move(session));
      boolean can = !move.runs && move.attempts < ATTEMPTS_MAX && control.canMove(session);
      goesOn |= move.runs || can;
      if (can && running < AT_ONCE) {
        move.begin();
      }
    }
    return goesOn;
  }

  /// The hand-over of one session.
  private final class Move {
    private final Session session;
    private boolean runs;
    private int attempts;
    private long current; // number of the newest attempt
    private @Nullable ClientCallStreamObserver<TakeOverRequest> call; // of this attempt
    private boolean isPrepared;
    private boolean isInstalled;

    private Move(Session session) {
      this.session = session;
    }

    private void begin() {
      List<GroupSettings.Member> serving =
          settings.members().stream()
              .filter(each -> control.serving(each.id()).isPresent())
              .filter(this::mayHave)
              .toList();
      if (serving.isEmpty()) {
        attempts++; // a member may be back at the next call
        outcomes.count(MoveOutcome.NO_MEMBER);
        return;
      }
      GroupSettings.Member to = serving.get(attempts % serving.size());
      attempts++;
      runs = true;
      isPrepared = false;
      running++;
      long of = ++number;
      current = of;
      var unused =
          relay
              .flowsOf(session, TakeOverMessage.FLOWS_MAX)
              .thenAccept(flows -> control.onControlThread(() -> call(to, of, flows)));
    }

    /// An address of another pool goes to its owner only: any other member would refuse it. A
    /// session with IPv6 goes only where its packets can be led.
    private boolean mayHave(GroupSettings.Member member) {
      boolean isLed =
          !host.hasIpv6() || !session.terms().inner().hasIpv6() || !member.nextHop6().isEmpty();
      return isLed && (session.slot() >= 0 || member.pool().has(session.address()));
    }

    private void call(GroupSettings.Member to, long of, List<Arrival.Flow> flows) {
      members.takeOver(
          to.id(),
          TakeOverMessage.of(settings.name(), of, session, flows),
          new ClientResponseObserver<TakeOverRequest, TakeOverAnswer>() {
            @Override
            public void beforeStart(ClientCallStreamObserver<TakeOverRequest> begun) {
              call = begun; // on the control thread, within the call
            }

            @Override
            public void onNext(TakeOverAnswer answer) {
              ofThis(() -> answered(to, of, answer));
            }

            @Override
            public void onError(Throwable why) {
              ofThis(() -> failed(to, MoveOutcome.UNREACHABLE, why.toString()));
            }

            private void ofThis(Runnable work) {
              control.onControlThread(() -> {
                if (of == current) { // a call that was cancelled ends later
                  work.run();
                }
              });
            }

            @Override
            public void onCompleted() { // nothing after INSTALLED or REFUSED
              ofThis(() -> failed(to, MoveOutcome.REFUSED, "the call ended without an outcome"));
            }
          });
    }

    private void answered(GroupSettings.Member to, long of, TakeOverAnswer answer) {
      switch (answer.getState()) {
        case PREPARED -> prepared(to, of);
        case INSTALLED -> installed(to, of);
        case REFUSED ->
            failed(to, MoveOutcome.REFUSED, answer.getRefusal() + ": " + answer.getDetail());
        case TAKE_OVER_STATE_UNSPECIFIED, UNRECOGNIZED ->
            failed(to, MoveOutcome.REFUSED, "an answer of a later version");
      }
    }

    private void prepared(GroupSettings.Member to, long of) {
      if (!runs || isPrepared) {
        return;
      }
      Optional<io.viaduct.tunnel.control.v1.Relay> known = control.serving(to.id());
      if (known.isEmpty()) {
        failed(to, MoveOutcome.NO_MEMBER, "it takes no sessions any more");
        return;
      }
      if (registry.find(session.id()).isEmpty()) {
        failed(to, MoveOutcome.DEVICE_LEFT, "the session has ended");
        return;
      }
      isPrepared = true;
      registry.passOn(session, true);
      if (!control.tell(session, moved(of, known.get(), false))) {
        failed(to, MoveOutcome.DEVICE_LEFT, "the device is not connected");
      }
    }

    private static Moved moved(long of, io.viaduct.tunnel.control.v1.Relay to, boolean isDone) {
      return Moved.newBuilder().setNumber(of).setTo(to).setDone(isDone).build();
    }

    private void installed(GroupSettings.Member to, long of) {
      if (!runs || isInstalled) {
        return;
      }
      if (!isPrepared) {
        failed(to, MoveOutcome.REFUSED, "INSTALLED came before PREPARED");
        return;
      }
      isInstalled = true;
      thread.execute(() -> {
        boolean isLed = returns.gone(session.address(), to);
        returns.settleLater(session.address());
        control.onControlThread(
            () -> given(to, of, isLed ? MoveOutcome.MOVED : MoveOutcome.ROUTE_FAILED));
      });
    }

    private void given(GroupSettings.Member to, long of, MoveOutcome outcome) {
      LOG.info("{} is handed over to {}: {}", session, to.id(), outcome);
      outcomes.count(outcome);
      running--;
      control.later(
          UNDER_WAY_MS,
          () ->
              control.tell(
                  session,
                  moved(of, io.viaduct.tunnel.control.v1.Relay.getDefaultInstance(), true)));
      control.later(
          LEAVE_MS,
          () -> {
            runs = false;
            registry.end(session, SessionEnd.MOVED);
          });
    }

    private void failed(GroupSettings.Member to, MoveOutcome why, String words) {
      if (!runs || isInstalled) {
        return;
      }
      LOG.warn("{} is not handed over to {}: {}", session, to.id(), words);
      outcomes.count(why);
      runs = false;
      running--;
      if (isPrepared) {
        registry.passOn(session, false);
      }
      ClientCallStreamObserver<TakeOverRequest> open = call;
      call = null;
      if (open != null) {
        open.cancel("this SNAPT goes on with the session", null); // nothing if it has ended
      }
    }
  }
}
