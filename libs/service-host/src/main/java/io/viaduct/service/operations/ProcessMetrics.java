package io.viaduct.service.operations;

import com.sun.management.ThreadMXBean;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;

/// The meter registry of one process, with the meters that all processes have: memory, garbage
/// collections, threads, CPU, file descriptors, uptime, and `viaduct_build_info`.
public final class ProcessMetrics implements AutoCloseable {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final PrometheusMeterRegistry registry = new HoldingRegistry();
  private final JvmGcMetrics collections = new JvmGcMetrics();
  private final Collection<Long> loopThreads = new ConcurrentLinkedQueue<>();

  /// @param service name of the process, such as `snapt`
  /// @param main a class of the process's own jar, whose manifest holds the version
  public ProcessMetrics(String service, Class<?> main) {
    new ClassLoaderMetrics().bindTo(registry);
    new JvmMemoryMetrics().bindTo(registry);
    collections.bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new FileDescriptorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
    BuildInfo.bind(registry, service, main);
  }

  /// Returns the version in the manifest of a class's jar; `development` outside a jar.
  public static String versionOf(Class<?> main) {
    String version = main.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }

  /// Returns the registry for the process's own meters; their names start with `viaduct.`.
  public MeterRegistry registry() {
    return registry;
  }

  /// Counts the bytes that the threads of the packet path allocate. They must allocate nothing per
  /// packet.
  ///
  /// @param loops event loops, each with a fixed thread
  public void allocatedBy(Iterable<? extends Executor> loops) {
    loops.forEach(loop -> loop.execute(() -> loopThreads.add(Thread.currentThread().threadId())));
    FunctionCounter.builder("viaduct_loops_allocated", loopThreads, ProcessMetrics::allocated)
        .description("Bytes of the heap that the threads of the packet path have allocated")
        .baseUnit("bytes")
        .register(registry);
  }

  private static double allocated(Collection<Long> threads) {
    return threads.stream().mapToLong(THREADS::getThreadAllocatedBytes).sum();
  }

  /// Returns all metrics in Prometheus' text format 0.0.4.
  String scrape() {
    return registry.scrape();
  }

  @Override
  public void close() {
    collections.close();
    registry.close();
  }
}
