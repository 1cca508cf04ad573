package io.viaduct.cnapt;

import io.micrometer.core.instrument.binder.MeterBinder;
import io.netty.channel.EventLoop;
import io.viaduct.cnapt.operations.AgentStatus;
import io.viaduct.service.configuration.ConfigurationKeys;
import io.viaduct.service.configuration.ConfigurationSource;
import io.viaduct.service.operations.OperationsAction;
import io.viaduct.service.operations.OperationsEndpoint;
import io.viaduct.service.operations.ProcessMetrics;
import io.viaduct.service.operations.Readiness;
import io.viaduct.service.reload.ConfigurationReload;
import io.viaduct.service.reload.Reloading;
import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The agent as an operator sees it: readiness, metrics, status, and reloads of the configuration.
/// The thread that starts and stops the agent calls the methods, unless documented otherwise.
final class AgentOperations implements AutoCloseable {
  private static final String SESSION = "session";

  private final CnaptConfiguration configuration;
  private final Readiness readiness = new Readiness(SESSION);
  private @Nullable ProcessMetrics metrics;
  private @Nullable OperationsEndpoint endpoint;

  AgentOperations(CnaptConfiguration configuration) {
    this.configuration = configuration;
  }

  /// Records that there is a session: the agent is ready. Any thread may call this.
  void sessionBegun() {
    readiness.cleared(SESSION);
  }

  /// Records that the agent is not ready any more.
  void stopping() {
    readiness.obstructed(SESSION, "stopping");
  }

  /// Registers the meters of the process and of the agent's parts.
  ///
  /// @param dataLoop its thread must allocate nothing per packet
  void measure(EventLoop dataLoop, List<? extends MeterBinder> parts) {
    ProcessMetrics process = new ProcessMetrics("cnapt", AgentOperations.class);
    metrics = process;
    process.allocatedBy(List.of(dataLoop));
    parts.forEach(each -> each.bindTo(process.registry()));
  }

  /// Starts to serve metrics, readiness and status, after [#measure].
  ///
  /// @param actions by path, at the status socket
  /// @throws IOException if a port or the socket is taken
  void serve(Supplier<AgentStatus> status, Map<String, OperationsAction> actions)
      throws IOException {
    OperationsEndpoint serving = new OperationsEndpoint(measured(), readiness);
    endpoint = serving;
    serving.listen(configuration.operations());
    serving.listen(configuration.statusSocket(), status, actions);
  }

  /// Returns the reload of the configuration, after [#measure].
  ///
  /// @param parts keys that the running agent can change
  ConfigurationReload<CnaptConfiguration> reload(
      ConfigurationSource<CnaptConfiguration> source,
      List<Reloading<CnaptConfiguration>> parts,
      InstantSource clock) {
    return new ConfigurationReload<>(
        source, ConfigurationKeys.of(configuration), parts, measured().registry(), clock);
  }

  private ProcessMetrics measured() {
    return Objects.requireNonNull(metrics, "the agent is started first");
  }

  @Override
  public void close() {
    OperationsEndpoint serving = endpoint;
    if (serving != null) {
      serving.close();
    }
    ProcessMetrics process = metrics;
    if (process != null) {
      process.close();
    }
  }
}
