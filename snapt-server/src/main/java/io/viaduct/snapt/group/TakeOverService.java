package io.viaduct.snapt.group;

import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.viaduct.snapt.binding.Arrival;
import io.viaduct.snapt.binding.Arrivals;
import io.viaduct.snapt.binding.Session;
import io.viaduct.snapt.binding.SessionEnd;
import io.viaduct.snapt.binding.SessionRegistry;
import io.viaduct.snapt.control.ControlServer;
import io.viaduct.snapt.control.TokenVerifier;
import io.viaduct.snapt.napt.PublicAddress;
import io.viaduct.usage.v1.HolderAnswer;
import io.viaduct.usage.v1.HolderRequest;
import io.viaduct.usage.v1.OutcomeAnswer;
import io.viaduct.usage.v1.OutcomeRequest;
import io.viaduct.usage.v1.ReturnAnswer;
import io.viaduct.usage.v1.ReturnRequest;
import io.viaduct.usage.v1.SnaptGroupGrpc;
import io.viaduct.usage.v1.TakeOverAnswer;
import io.viaduct.usage.v1.TakeOverRefusal;
import io.viaduct.usage.v1.TakeOverRequest;
import io.viaduct.usage.v1.TakeOverState;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.InstantSource;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Takes sessions over that other members hand over. A request is checked before anything changes:
/// the caller is a member ([MemberIdentity]), the token is valid here, the address may come from
/// this caller ([MovedAddresses#mayCome]).
final class TakeOverService extends SnaptGroupGrpc.SnaptGroupImplBase {
  private static final Logger LOG = LoggerFactory.getLogger(TakeOverService.class);

  private final GroupSettings settings;
  private final SessionRegistry registry;
  private final ControlServer control;
  private final TokenVerifier tokens;
  private final MovedAddresses addresses;
  private final Returns returns;
  private final Function<InetAddress, @Nullable String> accounts;
  private final Executor thread;
  private final InstantSource clock;
  private final GroupCounts counts;
  private final Takings takings = new Takings();

  /// @param registry used on the control thread
  /// @param addresses changed on the group's thread
  /// @param accounts returns the account of the session here that has an address
  /// @param thread the group's thread
  TakeOverService(
      GroupSettings settings,
      SessionRegistry registry,
      ControlServer control,
      TokenVerifier tokens,
      MovedAddresses addresses,
      Returns returns,
      Function<InetAddress, @Nullable String> accounts,
      Executor thread,
      InstantSource clock,
      GroupCounts counts) {
    this.settings = settings;
    this.registry = registry;
    this.control = control;
    this.tokens = tokens;
    this.addresses = addresses;
    this.returns = returns;
    this.accounts = accounts;
    this.thread = thread;
    this.clock = clock;
    this.counts = counts;
  }

  @Override
  public void takeOver(TakeOverRequest request, StreamObserver<TakeOverAnswer> answers) {
    Taking taking =
        new Taking(
            new Takings.Attempt(MemberIdentity.NAME.get(), request.getNumber()),
            (ServerCallStreamObserver<TakeOverAnswer>) answers);
    if (!request.getGroup().equals(settings.name())) {
      taking.refuse(
          TakeOverRefusal.OTHER_GROUP,
          "this SNAPT is in the group %s, got %s".formatted(settings.name(), request.getGroup()));
      return;
    }
    try {
      String from = taking.attempt.from();
      PublicAddress address = TakeOverMessage.address(request.getAddress());
      if (!addresses.mayCome(address, from)) {
        taking.refuse(
            TakeOverRefusal.FOREIGN_ADDRESS,
            "%s is not of the pool of %s, and is not known to be there".formatted(address, from));
        return;
      }
      switch (tokens.verify(request.getToken(), clock.millis())) {
        case TokenVerifier.Result.Refused(var code, String detail) ->
            taking.refuse(TakeOverRefusal.TOKEN_INVALID, code + ": " + detail);
        case TokenVerifier.Result.Valid(var token) ->
            taking.expect(
                new Arrival(
                    request.getNumber(),
                    token.deviceKey(),
                    address,
                    TakeOverMessage.inner(request),
                    new Arrival.Carried(
                        TakeOverMessage.flows(request, this::leftOut),
                        MovedLinks.read(request, this::linkLeftOut)),
                    clock.millis() + Arrivals.WAIT_MS,
                    taking));
      }
    } catch (IllegalArgumentException e) {
      taking.refuse(TakeOverRefusal.MALFORMED, String.valueOf(e.getMessage()));
    }
  }

  private void leftOut(String why) {
    LOG.debug("a flow is left out: {}", why);
    counts.flowLeftOut();
  }

  private void linkLeftOut(String why) {
    LOG.debug("the rate of a link is left out: {}", why);
    counts.linkLeftOut();
  }

  @Override
  public void return_(ReturnRequest request, StreamObserver<ReturnAnswer> answer) {
    String by = MemberIdentity.NAME.get();
    thread.execute(() -> {
      try {
        boolean known = returns.returned(TakeOverMessage.address(request.getAddress()), by);
        answer.onNext(ReturnAnswer.newBuilder().setKnown(known).build());
        answer.onCompleted();
      } catch (IOException | IllegalArgumentException e) {
        LOG.warn("{} returns an address: {}", by, e.getMessage());
        answer.onError(
            Status.INTERNAL.withDescription(String.valueOf(e.getMessage())).asException());
      }
    });
  }

  @Override
  public void holder(HolderRequest request, StreamObserver<HolderAnswer> answer) {
    try {
      InetAddress address = InetAddress.getByAddress(request.getAddress().toByteArray());
      String account = accounts.apply(address);
      answer.onNext(HolderAnswer.newBuilder().setAccount(account == null ? "" : account).build());
      answer.onCompleted();
    } catch (UnknownHostException e) {
      answer.onError(
          Status.INVALID_ARGUMENT.withDescription(String.valueOf(e.getMessage())).asException());
    }
  }

  @Override
  public void outcome(OutcomeRequest request, StreamObserver<OutcomeAnswer> answer) {
    String by = MemberIdentity.NAME.get();
    thread.execute(() -> {
      try {
        PublicAddress address = TakeOverMessage.address(request.getAddress());
        takings.giveUp(new Takings.Attempt(by, request.getNumber()));
        boolean isTaken = addresses.hasTaken(address, by) && !returns.isLeaving(address);
        answer.onNext(OutcomeAnswer.newBuilder().setTaken(isTaken).build());
        answer.onCompleted();
      } catch (IllegalArgumentException e) {
        answer.onError(
            Status.INVALID_ARGUMENT.withDescription(String.valueOf(e.getMessage())).asException());
      }
    });
  }

  /// One hand-over to this SNAPT:
  ///
  ///     WAITING ──the device has come, address written──▶ TAKEN
  ///        └ ─── refused, too late, given up by the caller ──▶ OVER
  ///
  /// The group's thread decides which, once, so a caller that asks for the outcome hears the same
  /// for ever. Answers come from several threads.
  private final class Taking implements Arrival.Listener, Takings.Waiting {
    private enum State {
      WAITING,
      TAKEN,
      OVER
    }

    private final Takings.Attempt attempt;
    private final ServerCallStreamObserver<TakeOverAnswer> answers; // guarded by itself
    private boolean isAnswered; // likewise: nothing follows
    private State state = State.WAITING; // owned by the group's thread
    private @Nullable Arrival arrival; // likewise

    private Taking(Takings.Attempt attempt, ServerCallStreamObserver<TakeOverAnswer> answers) {
      this.attempt = attempt;
      this.answers = answers;
    }

    private void expect(Arrival coming) {
      thread.execute(() -> {
        arrival = coming;
        if (takings.begin(attempt, this)) {
          control.thread().run(() -> prepare(coming));
        } else {
          refuse(TakeOverRefusal.GIVEN_UP, "the outcome was asked for before");
        }
      });
      answers.setOnCancelHandler(() -> thread.execute(this::giveUp)); // after the above
    }

    private void prepare(Arrival coming) {
      TakeOverRefusal why = refusal(coming);
      if (why == null) {
        answer(TakeOverState.PREPARED);
      } else {
        thread.execute(() -> end(why, "the session of " + coming.address()));
      }
    }

    private @Nullable TakeOverRefusal refusal(Arrival coming) {
      if (!registry.isServing()) {
        return TakeOverRefusal.NOT_SERVING;
      }
      if (registry.has(coming.address())
          || registry.arrivals().has(coming.address(), coming.deviceKey())) {
        return TakeOverRefusal.ADDRESS_IN_USE;
      }
      if (!registry.hasRoom() || !registry.arrivals().expect(coming)) {
        return TakeOverRefusal.FULL;
      }
      registry.keep(coming.address());
      return null;
    }

    @Override
    public void bound(Session session) {
      thread.execute(() -> {
        if (state != State.WAITING) {
          return; // the session ends
        }
        try {
          addresses.take(session.address(), attempt.from());
          state = State.TAKEN;
          takings.end(attempt);
          LOG.info("{} is taken over from {}", session, attempt.from());
          answer(TakeOverState.INSTALLED);
        } catch (IOException e) {
          LOG.error("{} from {}: {}", session.address(), attempt.from(), e.getMessage());
          end(TakeOverRefusal.ROUTE_FAILED, String.valueOf(e.getMessage()));
        }
      });
    }

    @Override
    public void lapsed() {
      thread.execute(() -> end(TakeOverRefusal.DEVICE_AWAY, "the device has not come"));
    }

    @Override
    public void over(Session session) {
      thread.execute(() -> {
        if (state == State.TAKEN) {
          returns.leave(session.address());
        } else {
          end(TakeOverRefusal.DEVICE_AWAY, "the device's session has ended");
        }
      });
    }

    @Override
    public void giveUp() {
      end(TakeOverRefusal.GIVEN_UP, "the caller goes on with the session");
    }

    /// Ends what waits: the other member goes on with the session. Does nothing if it is taken.
    private void end(TakeOverRefusal why, String detail) {
      if (state != State.WAITING) {
        return;
      }
      state = State.OVER;
      takings.end(attempt);
      refuse(why, detail);
      Arrival expected = arrival;
      if (expected != null) {
        control.thread().run(() -> forget(expected));
      }
    }

    private void forget(Arrival expected) {
      registry.arrivals().forget(expected);
      registry.of(expected).ifPresent(session -> registry.end(session, SessionEnd.NOT_TAKEN_OVER));
      thread.execute(() -> returns.notTaken(expected.address()));
    }

    private void answer(TakeOverState now) {
      synchronized (answers) {
        if (!isAnswered && !answers.isCancelled()) {
          counts.answers().count(now);
          answers.onNext(TakeOverAnswer.newBuilder().setState(now).build());
          if (now == TakeOverState.INSTALLED) {
            isAnswered = true;
            answers.onCompleted();
          }
        }
      }
    }

    private void refuse(TakeOverRefusal why, String detail) {
      synchronized (answers) {
        if (isAnswered) {
          return;
        }
        isAnswered = true;
        counts.refusals().count(why);
        if (!answers.isCancelled()) {
          answers.onNext(
              TakeOverAnswer.newBuilder()
                  .setState(TakeOverState.REFUSED)
                  .setRefusal(why)
                  .setDetail(detail)
                  .build());
          answers.onCompleted();
        }
      }
    }
  }
}
