package io.viaduct.billing.provisioning;

import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;

/// Answers calls of bridges by work on the database.
final class DatabaseAnswer {
  private static final Logger LOG = LoggerFactory.getLogger(DatabaseAnswer.class);

  private DatabaseAnswer() {}

  /// Answers a call. While the database is away, the call is refused as UNAVAILABLE.
  ///
  /// @param what the work, for the log
  /// @param away refuses the call with a status, and counts it
  static <T> void give(
      StreamObserver<T> call, String what, Supplier<T> work, Consumer<Status> away) {
    T answer;
    try {
      answer = work.get();
    } catch (DataAccessException | TransactionException e) {
      LOG.warn("{} is not possible now, database: {}", what, e.toString());
      away.accept(Status.UNAVAILABLE.withDescription("the database is away: ask again"));
      return;
    }
    call.onNext(answer);
    call.onCompleted();
  }
}
