package io.viaduct.billing.queue;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.utils.Bytes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;

/// Posts the records of one poll side by side. Records of one key, which is the account, are in one
/// lane, in their order. A lane posts one batch after the other.
final class PostingLanes implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PostingLanes.class);

  /// Records for which another lane is worth its own transaction: below, most of its time is that
  /// of its statements and its commit.
  private static final int SHARE_MIN = 32;

  /// Posts one batch.
  @FunctionalInterface
  interface Posting {
    /// Posts the batch and publishes its verdicts.
    ///
    /// @throws DataAccessException if the database is not available
    /// @throws TransactionException likewise
    void post(List<ConsumerRecord<byte[], byte[]>> batch);
  }

  private final int lanes;
  private final int batch;
  private final Posting posting;
  private final ExecutorService threads;

  /// @param lanes most lanes
  /// @param batch records of a transaction; it may have half as many more
  PostingLanes(int lanes, int batch, Posting posting) {
    this.lanes = lanes;
    this.batch = batch;
    this.posting = posting;
    threads =
        Executors.newFixedThreadPool(
            lanes, Thread.ofPlatform().daemon().name("queued-reports-", 0).factory());
  }

  /// Posts records. Every lane has ended when this method returns.
  ///
  /// @return records that wait for the database: no others are missing in the ledger
  /// @throws InterruptException if the caller is interrupted; lanes may still post
  List<ConsumerRecord<byte[], byte[]>> post(Iterable<ConsumerRecord<byte[], byte[]>> records) {
    List<Callable<List<ConsumerRecord<byte[], byte[]>>>> work = new ArrayList<>();
    for (List<ConsumerRecord<byte[], byte[]>> lane :
        split(records, lanes, Math.min(batch, SHARE_MIN))) {
      work.add(() -> lane(lane));
    }
    try {
      List<ConsumerRecord<byte[], byte[]>> waiting = new ArrayList<>();
      for (Future<List<ConsumerRecord<byte[], byte[]>>> each : threads.invokeAll(work)) {
        waiting.addAll(each.get());
      }
      return waiting;
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException cause
          ? cause
          : new IllegalStateException("a lane of queued reports failed", e.getCause());
    }
  }

  // A later batch may have reports of the same account, so it waits too.
  private List<ConsumerRecord<byte[], byte[]>> lane(List<ConsumerRecord<byte[], byte[]>> records) {
    int batches = Math.max(1, Math.round((float) records.size() / batch));
    for (int i = 0; i < batches; i++) {
      int from = records.size() * i / batches;
      int to = records.size() * (i + 1) / batches;
      try {
        posting.post(records.subList(from, to));
      } catch (DataAccessException | TransactionException e) {
        LOG.warn(
            "{} queued reports wait for the database: {}", records.size() - from, e.toString());
        return records.subList(from, records.size());
      }
    }
    return List.of();
  }

  /// Divides records into lanes of about the same length. Each new key goes to the shortest lane.
  ///
  /// @param share fewest records of each of several lanes, on average
  static List<List<ConsumerRecord<byte[], byte[]>>> split(
      Iterable<ConsumerRecord<byte[], byte[]>> records, int lanes, int share) {
    Map<@Nullable Bytes, List<ConsumerRecord<byte[], byte[]>>> byKey = new HashMap<>();
    int count = 0;
    for (ConsumerRecord<byte[], byte[]> record : records) {
      byKey.computeIfAbsent(Bytes.wrap(record.key()), _ -> new ArrayList<>()).add(record);
      count++;
    }
    List<List<ConsumerRecord<byte[], byte[]>>> split = new ArrayList<>();
    for (int i = 0; i < Math.clamp(count / share, 1, lanes); i++) {
      split.add(new ArrayList<>());
    }
    byKey.values().stream()
        .sorted((one, other) -> other.size() - one.size())
        .forEach(each -> shortest(split).addAll(each));
    split.removeIf(Collection::isEmpty);
    return split;
  }

  private static List<ConsumerRecord<byte[], byte[]>> shortest(
      List<List<ConsumerRecord<byte[], byte[]>>> lanes) {
    List<ConsumerRecord<byte[], byte[]>> shortest = lanes.getFirst();
    for (List<ConsumerRecord<byte[], byte[]>> lane : lanes) {
      shortest = lane.size() < shortest.size() ? lane : shortest;
    }
    return shortest;
  }

  /// Ends the threads after their batches. Interrupts no transaction.
  @Override
  public void close() {
    threads.shutdown();
  }
}
