package io.viaduct.snapt.group;

import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.viaduct.snapt.binding.Arrival;
import io.viaduct.snapt.binding.Session;
import io.viaduct.snapt.binding.SessionRegistry;
import io.viaduct.snapt.control.ControlServer;
import io.viaduct.snapt.relay.Relay;
import io.viaduct.tunnel.control.v1.Moved;
import io.viaduct.usage.v1.TakeOverAnswer;
import io.viaduct.usage.v1.TakeOverRequest;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// One attempt to hand a session over to a member:
///
///     NOTING ──intent written──▶ CALLED ──PREPARED──▶ PREPARED ──INSTALLED──▶ SETTLING ──▶ OVER
///                                   │ ────────REFUSED────┤ ────────────────────▲
///                                   └ ──any other end────┴──▶ UNCLEAR ──outcome─┘
///
/// Answers belong to their attempt alone: each has its own object, and one that is not CALLED or
/// PREPARED takes none. Until it is over, the session here carries, and no device gets its address.
/// Owner: the control thread.
final class HandOver
    implements ClientResponseObserver<TakeOverRequest, TakeOverAnswer>, Intents.Settled {
  /// Longest time, in ms, for which an unclear outcome keeps a drain from ending its sessions.
  private static final long HOLDS_MS = 10_000;

  private enum State {
    NOTING,
    CALLED,
    PREPARED,
    UNCLEAR,
    SETTLING,
    OVER
  }

  /// Parts that all hand-overs share.
  ///
  /// @param group its name
  /// @param intents used on the group's thread
  /// @param thread the group's thread
  /// @param nanoClock `System.nanoTime` in production
  record Parts(
      String group,
      SessionRegistry registry,
      ControlServer control,
      Relay relay,
      Members members,
      Intents intents,
      ScheduledExecutorService thread,
      LongSupplier nanoClock) {}

  /// Hears of the attempt, on the control thread.
  interface Owner {
    /// Called once, when nothing is awaited from the device any more.
    void leftDevice();

    /// Called when the outcome is known.
    ///
    /// @param words for the log
    void over(MoveOutcome outcome, String words);
  }

  private final Parts parts;
  private final Session session;
  private final Intent intent;
  private final Owner owner;
  private State state = State.NOTING;
  private long unclearNs;
  private MoveOutcome failure = MoveOutcome.UNREACHABLE;
  private String words = "";
  private @Nullable ClientCallStreamObserver<TakeOverRequest> call;

  HandOver(Parts parts, Session session, Intent intent, Owner owner) {
    this.parts = parts;
    this.session = session;
    this.intent = intent;
    this.owner = owner;
  }

  void begin() {
    var unused =
        parts
            .relay()
            .carriedBy(session, TakeOverMessage.FLOWS_MAX)
            .exceptionally(_ -> Arrival.Carried.NOTHING)
            .thenAccept(carried -> onGroupThread(() -> note(carried)));
  }

  private void note(Arrival.Carried carried) {
    try {
      parts.intents().note(intent);
      onControlThread(() -> call(carried));
    } catch (IOException e) {
      onControlThread(() -> over(MoveOutcome.NOT_WRITTEN, String.valueOf(e.getMessage())));
    }
  }

  private void call(Arrival.Carried carried) {
    parts.registry().passOn(session, true);
    if (parts.registry().find(session.id()).isEmpty()) {
      notTaken(MoveOutcome.DEVICE_LEFT, "the session has ended");
      return;
    }
    state = State.CALLED;
    parts
        .members()
        .takeOver(
            intent.to(),
            TakeOverMessage.of(parts.group(), intent.number(), session, carried),
            this);
  }

  @Override
  public void beforeStart(ClientCallStreamObserver<TakeOverRequest> begun) {
    call = begun; // on the control thread, within the call
  }

  @Override
  public void onNext(TakeOverAnswer answer) {
    onControlThread(() -> {
      switch (answer.getState()) {
        case PREPARED -> prepared();
        case INSTALLED -> installed();
        case REFUSED ->
            notTaken(MoveOutcome.REFUSED, answer.getRefusal() + ": " + answer.getDetail());
        case TAKE_OVER_STATE_UNSPECIFIED, UNRECOGNIZED ->
            unclear(MoveOutcome.REFUSED, "an answer of a later version");
      }
    });
  }

  @Override
  public void onError(Throwable why) {
    onControlThread(() -> unclear(MoveOutcome.UNREACHABLE, why.toString()));
  }

  @Override
  public void onCompleted() {
    onControlThread(() -> unclear(MoveOutcome.REFUSED, "the call ended without an outcome"));
  }

  private boolean isCalled() {
    return state == State.CALLED || state == State.PREPARED;
  }

  private void prepared() {
    if (state != State.CALLED) {
      return;
    }
    Optional<io.viaduct.tunnel.control.v1.Relay> known =
        parts.control().relays().serving(intent.to());
    if (known.isEmpty()) {
      unclear(MoveOutcome.NO_MEMBER, "it takes no sessions any more");
      return;
    }
    state = State.PREPARED;
    if (!parts.control().devices().tell(session, moved().setTo(known.get()).build())) {
      unclear(MoveOutcome.DEVICE_LEFT, "the device is not connected");
    }
  }

  private Moved.Builder moved() {
    return Moved.newBuilder().setNumber(intent.number());
  }

  /// Tells the device that the other SNAPT has the session.
  void tellDone() {
    parts.control().devices().tell(session, moved().setDone(true).build());
  }

  private void installed() {
    if (state == State.CALLED) {
      unclear(MoveOutcome.REFUSED, "INSTALLED came before PREPARED");
    } else if (state == State.PREPARED) {
      settle(State.SETTLING, () -> parts.intents().taken(intent, this));
    }
  }

  private void notTaken(MoveOutcome why, String because) {
    if (state == State.NOTING || isCalled()) {
      failure = why;
      words = because;
      settle(State.SETTLING, () -> parts.intents().notTaken(intent, this));
    }
  }

  /// Asks for the outcome, because the member may have taken the session.
  private void unclear(MoveOutcome why, String because) {
    if (!isCalled()) {
      return;
    }
    failure = why;
    words = because;
    unclearNs = parts.nanoClock().getAsLong();
    ClientCallStreamObserver<TakeOverRequest> open = call;
    if (open != null) {
      open.cancel("this SNAPT asks for the outcome", null); // nothing if it has ended
    }
    settle(State.UNCLEAR, () -> parts.intents().ask(intent, this));
  }

  private void settle(State now, Runnable onGroupThread) {
    state = now;
    owner.leftDevice();
    onGroupThread(onGroupThread);
  }

  @Override
  public void taken(boolean isLed) {
    MoveOutcome outcome = isLed ? MoveOutcome.MOVED : MoveOutcome.ROUTE_FAILED;
    onControlThread(() -> over(outcome, "the other SNAPT has the session"));
  }

  @Override
  public void notTaken() {
    onControlThread(() -> {
      parts.registry().passOn(session, false);
      over(failure, words);
    });
  }

  private void over(MoveOutcome outcome, String because) {
    if (state == State.NOTING) {
      owner.leftDevice();
    }
    state = State.OVER;
    owner.over(outcome, because);
  }

  /// Returns whether a drain waits for the outcome.
  boolean holdsDrain() {
    return state != State.UNCLEAR
        || parts.nanoClock().getAsLong() - unclearNs < HOLDS_MS * 1_000_000;
  }

  private void onControlThread(Runnable work) {
    parts.control().thread().run(work);
  }

  private void onGroupThread(Runnable work) {
    try {
      parts.thread().execute(work);
    } catch (RejectedExecutionException _) {
      // this SNAPT stops: its next start asks
    }
  }
}
