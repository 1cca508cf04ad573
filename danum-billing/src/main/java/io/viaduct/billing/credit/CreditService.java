package io.viaduct.billing.credit;

import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.viaduct.billing.database.Notifications;
import io.viaduct.usage.v1.CreditAnswer;
import io.viaduct.usage.v1.CreditControlGrpc;
import io.viaduct.usage.v1.CreditRequest;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;

/// Answers requests for credit, and pushes each change of it to the sessions that asked here (ADR
/// 0041). The endpoint has already checked the caller's certificate.
public final class CreditService extends CreditControlGrpc.CreditControlImplBase
    implements Notifications.Listener, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CreditService.class);

  private final CreditControl control;
  private final CreditSessions sessions = new CreditSessions();
  private final Reauthorisations reauthorisations = new Reauthorisations();
  private final AccountLocks locks = new AccountLocks();
  private final Set<String> changed = ConcurrentHashMap.newKeySet(); // accounts to look at
  private final Semaphore connections;
  private final InstantSource clock;
  private final CreditMeters meters;
  private final List<CreditFollower> followers = new CopyOnWriteArrayList<>();
  private volatile boolean isClosed;

  /// @param connections most database connections that requests for credit may use at a time
  CreditService(CreditControl control, int connections, InstantSource clock, CreditMeters meters) {
    this.control = control;
    this.connections = new Semaphore(connections);
    this.clock = clock;
    this.meters = meters;
    meters.sessions(sessions);
  }

  @Override
  public StreamObserver<CreditRequest> credit(StreamObserver<CreditAnswer> bridge) {
    CreditStream stream =
        new CreditStream(
            (ServerCallStreamObserver<CreditAnswer>) bridge, this::decide, sessions, locks);
    if (isClosed) {
      stream.end(Status.UNAVAILABLE.withDescription("billing is stopping: call again"));
    }
    return stream;
  }

  private CreditAnswer decide(CreditRequest request) {
    CreditAnswer answer;
    try {
      answer = meters.deciding(() -> connected(() -> control.answer(request, clock.instant())));
    } catch (DataAccessException | TransactionException e) {
      LOG.warn("a request for credit cannot be answered now, database: {}", e.toString());
      answer = CreditAnswers.unable(request, "the database is away");
    }
    meters.answered(answer.getResult());
    return answer;
  }

  private <T> T connected(Supplier<T> work) {
    connections.acquireUninterruptibly();
    try {
      return work.get();
    } finally {
      connections.release();
    }
  }

  /// Adds a follower of all changes.
  public void follow(CreditFollower follower) {
    followers.add(follower);
  }

  @Override
  public String channel() {
    return "credit";
  }

  /// Looks at the account's credit, on a thread of its own. Changes that arrive meanwhile are
  /// looked at together.
  @Override
  public void changed(String account) {
    if (!isClosed && changed.add(account)) {
      Thread.ofVirtual().name("credit-push").start(() -> push(account));
    }
  }

  // Followers hear of a change whether or not the sessions here could be told.
  private void push(String account) {
    looking(account, () -> locks.run(account, () -> connected(() -> pushed(account))));
    for (CreditFollower follower : followers) {
      looking(account, () -> connected(() -> followed(follower, account)));
    }
  }

  private void looking(String account, Runnable look) {
    try {
      look.run();
    } catch (DataAccessException | TransactionException e) {
      // The sessions ask again every few seconds, and the periodic look finds the account.
      meters.pushFailed();
      LOG.warn("a change of credit cannot be pushed now, database: {}", e.toString());
    } catch (RuntimeException e) {
      meters.pushFailed();
      LOG.error("a change of the credit of account '{}' cannot be pushed", account, e);
    }
  }

  private static Void followed(CreditFollower follower, String account) {
    follower.changed(account);
    return null;
  }

  private Void pushed(String account) {
    changed.remove(account); // what changes from now on is looked at again
    Map<SessionKey, CreditStream> told = sessions.of(account);
    for (CreditAnswer answer : control.push(account, told.keySet(), clock.instant())) {
      SessionKey session = new SessionKey(answer.getSnaptId(), answer.getSessionId());
      boolean asksBack =
          answer.getReauthorise() && reauthorisations.mayAsk(session, clock.instant());
      CreditStream stream = told.get(session);
      if (stream != null && stream.push(answer.toBuilder().setReauthorise(asksBack).build())) {
        meters.pushed(answer.getResult());
        if (asksBack) {
          meters.reauthorised();
        }
      }
    }
    return null;
  }

  /// Looks at every account that has a session here, or that a follower looks at.
  @Override
  public void interrupted() {
    sessions.accounts().forEach(this::changed);
    followers.forEach(each -> each.accounts().forEach(this::changed));
  }

  /// Looks at accounts whose state is not what their credit says, and at those of followers: a look
  /// of a follower may have failed.
  void catchUp() {
    control.overdue(clock.instant()).forEach(this::changed);
    followers.forEach(each -> each.accounts().forEach(this::changed));
  }

  /// Ends the streams and refuses new ones.
  @Override
  public void close() {
    isClosed = true;
    sessions
        .streams()
        .forEach(stream -> stream.end(Status.UNAVAILABLE.withDescription("billing is stopping")));
  }
}
