package io.viaduct.spring;

import io.viaduct.service.command.CleanStop;
import io.viaduct.service.command.ExitCode;
import io.viaduct.service.configuration.ConfigurationKeys;
import io.viaduct.service.configuration.ConfigurationSource;
import io.viaduct.service.logging.LoggingSettings;
import io.viaduct.service.reload.ConfigurationReload;
import io.viaduct.service.reload.KeptSignal;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.springframework.context.ApplicationContext;

/// The process of a service: it reads the configuration, serves until SIGTERM, and reads the
/// configuration again at SIGHUP.
///
/// @param logging returns the settings of the log
/// @param service makes the service, not yet started
/// @param reload makes the reload of the started service
/// @param ready reports that the service is ready
public record ServiceProcess<C extends Record>(
    Function<C, LoggingSettings> logging,
    Function<C, SpringService> service,
    Reload<C> reload,
    BiConsumer<C, ApplicationContext> ready) {
  /// Makes the reload of a started service.
  @FunctionalInterface
  public interface Reload<C extends Record> {
    /// @param running keys at the start of the process
    /// @param parts beans of the service
    ConfigurationReload<C> of(
        ConfigurationSource<C> source, ConfigurationKeys running, ApplicationContext parts);
  }

  /// Runs the process. Never returns normally: a signal ends the process, or the start throws.
  ///
  /// @return the exit code, for a command's signature
  public int run(ConfigurationSource<C> source) throws Exception {
    KeptSignal hangUp = KeptSignal.listen("HUP");
    C configuration = source.load();
    ConfigurationKeys running = ConfigurationKeys.of(configuration);
    ServiceLogging.configure(logging.apply(configuration));
    SpringService starting = service.apply(configuration);
    CleanStop.serve(
        starting,
        () -> {
          ApplicationContext parts = starting.start();
          ready.accept(configuration, parts);
          hangUp.then(reload.of(source, running, parts)::reload);
        });
    return ExitCode.OK;
  }
}
