package io.viaduct.webgui;

import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.service.configuration.ConfigurationKeys;
import io.viaduct.service.configuration.ConfigurationSource;
import io.viaduct.service.reload.ConfigurationReload;
import io.viaduct.service.reload.Reloading;
import io.viaduct.spring.ServiceLogging;
import io.viaduct.webgui.bridge.SnaptDirectory;
import io.viaduct.webgui.configuration.WebguiConfiguration;
import io.viaduct.webgui.peer.BearerToken;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import org.springframework.context.ApplicationContext;

/// The configuration of the pages at the start and at SIGHUP: which keys running pages take.
final class WebguiReload {
  private WebguiReload() {}

  /// Returns the source of the configuration, which is read at the start and at SIGHUP.
  static ConfigurationSource<WebguiConfiguration> source(Path file) {
    return ConfigurationSource.of(file, WebguiConfiguration.class, _ -> {});
  }

  /// Returns what reads the configuration of running pages again.
  static ConfigurationReload<WebguiConfiguration> of(
      ConfigurationSource<WebguiConfiguration> source,
      ConfigurationKeys running,
      ApplicationContext pages) {
    return new ConfigurationReload<>(
        source,
        running,
        parts(pages),
        pages.getBean(MeterRegistry.class),
        pages.getBean(InstantSource.class));
  }

  /// The keys that running pages take; all others wait for the next start.
  static List<Reloading<WebguiConfiguration>> parts(ApplicationContext pages) {
    return List.of(
        new Reloading<>(
            List.of("bridge.token-file"),
            next -> {
              BearerToken token = new BearerToken(next.bridge().tokenFile().reveal());
              return () -> pages.getBean(SnaptDirectory.class).use(token);
            }),
        new Reloading<>(
            List.of("logging.level"), next -> () -> ServiceLogging.level(next.logging().level())));
  }
}
