package io.viaduct.tunnel.dictionary;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/// Starts the thread that makes dictionaries beside the event loops ([BackgroundWork#on]). Work
/// that does not fit into its queue is refused.
public final class DictionaryWorker {
  private static final int QUEUE_MAX = 256;
  private static final int IDLE_SECONDS = 10;

  private DictionaryWorker() {}

  /// Starts a thread that ends after 10 s without work.
  public static Executor start() {
    ThreadPoolExecutor worker =
        new ThreadPoolExecutor(
            1,
            1,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(QUEUE_MAX),
            Thread.ofPlatform().daemon().name("dictionaries").factory());
    worker.allowCoreThreadTimeOut(true);
    return worker;
  }
}
