package io.viaduct.webgui;

import io.viaduct.service.configuration.ConfigurationFile;
import io.viaduct.spring.ServiceLogging;
import io.viaduct.webgui.configuration.WebguiConfiguration;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.springframework.context.ConfigurableApplicationContext;

/// One web GUI and its peer for all test classes of this JVM, started from a configuration file as
/// in production. Each test resets the peer.
public final class RunningWebgui {
  private static final PeerServer PEER = new PeerServer();
  private static final ConfigurableApplicationContext CONTEXT = start(PEER);

  private RunningWebgui() {}

  private static ConfigurableApplicationContext start(PeerServer peer) {
    PseudoLocale.write();
    WebguiConfiguration configuration = configuration(peer);
    ServiceLogging.configure(configuration.logging());
    try {
      return WebguiApplication.of(configuration).start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// The peer, as after [PeerServer#reset].
  public static PeerServer freshPeer() {
    PEER.reset();
    return PEER;
  }

  public static URI pages() {
    return URI.create("http://127.0.0.1:" + property("local.server.port"));
  }

  public static URI operations() {
    return URI.create("http://127.0.0.1:" + property("local.management.port"));
  }

  public static ConfigurableApplicationContext context() {
    return CONTEXT;
  }

  public static <T> T part(Class<T> type) {
    return CONTEXT.getBean(type);
  }

  /// Makes what otherwise waits until it is first needed.
  public static void everyPart() {
    CONTEXT.getBeansOfType(Object.class, false, true);
  }

  private static String property(String name) {
    return CONTEXT.getEnvironment().getRequiredProperty(name);
  }

  public static WebguiConfiguration configuration(PeerServer peer) {
    return configuration(peer, "");
  }

  /// @param more further lines of the configuration file
  public static WebguiConfiguration configuration(PeerServer peer, String more) {
    try {
      Path directory = Files.createTempDirectory("webgui");
      Path token =
          Files.createFile(
              directory.resolve("bridge.token"),
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      Files.writeString(token, PeerServer.BRIDGE_TOKEN);
      Path file = directory.resolve("webgui.yml");
      Files.writeString(
          file,
          """
          http: {port: 0}
          operations: {port: 0}
          billing: {url: "%1$s"}
          bridge: {url: "%1$s", token-file: "%2$s"}
          logging: {level: warn}
          telephones: {server: "sip.example.org:5071", transport: tls}
          limits:
            live-interval: 50ms
            snapt-refresh: 500ms
            peer-timeout: 3s
            streams-per-session: 2
            answer-bytes: 300000
            charges-per-page: 5
          %3$s
          """
              .formatted(peer.url(), token, more));
      return ConfigurationFile.load(file, WebguiConfiguration.class);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
