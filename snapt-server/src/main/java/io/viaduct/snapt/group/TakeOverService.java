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
import io.viaduct.usage.v1.ReturnAnswer;
import io.viaduct.usage.v1.ReturnRequest;
import io.viaduct.usage.v1.SnaptGroupGrpc;
import io.viaduct.usage.v1.TakeOverAnswer;
import io.viaduct.usage.v1.TakeOverRefusal;
import io.viaduct.usage.v1.TakeOverRequest;
import io.viaduct.usage.v1.TakeOverState;
import java.io.IOException;
import java.time.InstantSource;
import java.util.concurrent.Executor;
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
  private final Executor thread;
  private final InstantSource clock;
  private final GroupCounts counts;

  /// @param registry used on the control thread
  /// @param addresses changed on the group's thread
  /// @param thread the group's thread
  TakeOverService(
      GroupSettings settings,
      SessionRegistry registry,
      ControlServer control,
      TokenVerifier tokens,
      MovedAddresses addresses,
      Returns returns,
      Executor thread,
      InstantSource clock,
      GroupCounts counts) {
    this.settings = settings;
    this.registry = registry;
    this.control = control;
    this.tokens = tokens;
    this.addresses = addresses;
    this.returns = returns;
    this.thread = thread;
    this.clock = clock;
    this.counts = counts;
  }

  @Override
  public void takeOver(TakeOverRequest request, StreamObserver<TakeOverAnswer> answers) {
    Taking taking =
        new Taking(MemberIdentity.NAME.get(), (ServerCallStreamObserver<TakeOverAnswer>) answers);
    if (!request.getGroup().equals(settings.name())) {
      taking.refuse(
          TakeOverRefusal.OTHER_GROUP,
          "this SNAPT is in the group %s, got %s".formatted(settings.name(), request.getGroup()));
      return;
    }
    try {
      PublicAddress address = TakeOverMessage.address(request.getAddress());
      if (!addresses.mayCome(address, taking.from)) {
        taking.refuse(
            TakeOverRefusal.FOREIGN_ADDRESS,
            "%s is not of the pool of %s, and is not known to be there"
                .formatted(address, taking.from));
        return;
      }
      switch (tokens.verify(request.getToken(), clock.millis())) {
        case TokenVerifier.Result.Refused(var code, String detail) ->
            taking.refuse(TakeOverRefusal.TOKEN_INVALID, code + ": " + detail);
        case TokenVerifier.Result.Valid(var token) ->
            taking.expect(
                new Arrival(
                    request.getNumber(),
                    taking.from,
                    token.deviceKey(),
                    address,
                    TakeOverMessage.inner(request),
                    TakeOverMessage.flows(request, this::leftOut),
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

  @Override
  public void return_(ReturnRequest request, StreamObserver<ReturnAnswer> answer) {
    String by = MemberIdentity.NAME.get();
    thread.execute(() -> {
      try {
        boolean known = returns.returned(TakeOverMessage.address(request.getAddress()), by);
        answer.onNext(ReturnAnswer.newBuilder().setKnown(known).build());
        answer.onCompleted();
      } catch (IOException | IllegalArgumentException e) {
        LOG.error("{} returns an address: {}", by, e.getMessage());
        answer.onError(
            Status.INTERNAL.withDescription(String.valueOf(e.getMessage())).asException());
      }
    });
  }

  /// One hand-over to this SNAPT. Its answers come from the control thread and the group's thread.
  private final class Taking implements Arrival.Listener {
    private final String from;
    private final ServerCallStreamObserver<TakeOverAnswer> answers; // guarded by itself
    private boolean isOver; // likewise
    private @Nullable PublicAddress expected; // used by the control thread

    private Taking(String from, ServerCallStreamObserver<TakeOverAnswer> answers) {
      this.from = from;
      this.answers = answers;
    }

    private void expect(Arrival arrival) {
      answers.setOnCancelHandler(() -> control.onControlThread(() -> givenUp(arrival)));
      control.onControlThread(() -> {
        TakeOverRefusal why = refusal(arrival);
        if (why == null) {
          answer(TakeOverState.PREPARED);
        } else {
          refuse(why, "the session of " + arrival.address());
        }
      });
    }

    private @Nullable TakeOverRefusal refusal(Arrival arrival) {
      if (!registry.isServing()) {
        return TakeOverRefusal.NOT_SERVING;
      }
      if (registry.ofDevice(arrival.deviceKey()).isPresent()) {
        return TakeOverRefusal.SESSION_OPEN;
      }
      if (registry.has(arrival.address())
          || registry.arrivals().has(arrival.address(), arrival.deviceKey())) {
        return TakeOverRefusal.ADDRESS_IN_USE;
      }
      if (!registry.hasRoom() || !registry.arrivals().expect(arrival)) {
        return TakeOverRefusal.FULL;
      }
      registry.keep(arrival.address());
      expected = arrival.address();
      return null;
    }

    @Override
    public void bound(Session session) {
      thread.execute(() -> {
        try {
          addresses.take(session.address(), from);
          LOG.info("{} is taken over from {}", session, from);
          answer(TakeOverState.INSTALLED);
          control.onControlThread(() -> {
            if (registry.find(session.id()).isEmpty()) {
              over(session); // it has ended before it was taken
            }
          });
        } catch (IOException e) {
          LOG.error("{} from {}: {}", session.address(), from, e.getMessage());
          refuse(TakeOverRefusal.ROUTE_FAILED, String.valueOf(e.getMessage()));
          control.onControlThread(() -> registry.end(session, SessionEnd.NOT_TAKEN_OVER));
        }
      });
    }

    @Override
    public void lapsed() {
      refuse(TakeOverRefusal.DEVICE_AWAY, "the device has not come");
      notTaken();
    }

    private void notTaken() {
      PublicAddress address = expected;
      if (address != null) {
        thread.execute(() -> returns.leave(address));
      }
    }

    /// Ends the session, because the other member goes on with it.
    private void givenUp(Arrival arrival) {
      synchronized (answers) {
        if (isOver) {
          return;
        }
        isOver = true;
      }
      registry.arrivals().forget(arrival);
      notTaken();
      registry
          .ofDevice(arrival.deviceKey())
          .filter(session -> session.arrival() == arrival)
          .ifPresent(session -> registry.end(session, SessionEnd.NOT_TAKEN_OVER));
    }

    @Override
    public void over(Session session) {
      thread.execute(() -> returns.leave(session.address()));
    }

    private void answer(TakeOverState state) {
      synchronized (answers) {
        if (!isOver && !answers.isCancelled()) {
          counts.answers().count(state);
          answers.onNext(TakeOverAnswer.newBuilder().setState(state).build());
          if (state == TakeOverState.INSTALLED) {
            isOver = true;
            answers.onCompleted();
          }
        }
      }
    }

    private void refuse(TakeOverRefusal why, String detail) {
      synchronized (answers) {
        if (!isOver && !answers.isCancelled()) {
          isOver = true;
          counts.refusals().count(why);
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
