package io.viaduct.cnapt.classification;

import io.viaduct.host.process.SocketOwner;
import io.viaduct.host.process.SocketOwners;
import io.viaduct.host.process.Transport;
import java.net.InetSocketAddress;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/// Finds the process that owns a flow's socket. Runs on its own thread, because a search of /proc
/// takes milliseconds. The packets of the flow do not wait for it.
public final class OwnerLookup implements AutoCloseable {
  /// Largest number of waiting flows. Further flows keep the class that follows from their ports.
  static final int WAITING_MAX = 1024;

  private final SocketOwners owners = new SocketOwners();
  private final AtomicLong skipped = new AtomicLong();
  private final ThreadPoolExecutor worker =
      new ThreadPoolExecutor(
          1,
          1,
          10,
          TimeUnit.SECONDS,
          new ArrayBlockingQueue<>(WAITING_MAX),
          Thread.ofPlatform().name("socket-owners").daemon().factory());

  /// Creates the look-up; the thread starts with the first request.
  public OwnerLookup() {
    worker.allowCoreThreadTimeOut(true);
  }

  /// Starts the search for the owner of a flow.
  ///
  /// @param then called on the worker thread with the process's name; not called if no owner is
  ///   found
  public void find(
      int protocol, InetSocketAddress local, InetSocketAddress remote, Consumer<String> then) {
    Transport transport = protocol == FlowIdentity.TCP ? Transport.TCP : Transport.UDP;
    try {
      worker.execute(
          () -> owners.find(transport, local, remote).map(SocketOwner::name).ifPresent(then));
    } catch (RejectedExecutionException _) {
      skipped.incrementAndGet();
    }
  }

  /// Returns the number of flows that kept their first class because too many flows were waiting.
  public long skipped() {
    return skipped.get();
  }

  /// Returns the number of flows whose process was not found.
  public long unknown() {
    return owners.unknownSockets() + owners.unknownProcesses();
  }

  @Override
  public void close() {
    worker.shutdownNow();
  }
}
