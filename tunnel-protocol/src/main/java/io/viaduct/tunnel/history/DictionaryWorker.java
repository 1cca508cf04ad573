package io.viaduct.tunnel.history;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/// Makes dictionaries, beside the event loops, for whoever runs a tunnel ([Digestion#on]); what
/// does not fit into its queue is not made.
public final class DictionaryWorker {
  private static final int QUEUE_MAX = 256;
  private static final int IDLE_SECONDS = 10;

  private DictionaryWorker() {}

  /// A thread that goes away when it has nothing to do.
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
