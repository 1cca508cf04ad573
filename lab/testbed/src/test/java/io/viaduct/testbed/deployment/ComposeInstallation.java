package io.viaduct.testbed.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.viaduct.setup.SetupCommand;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/// The files that the compose file mounts. `viaduct setup` makes them with the options of
/// `docker/setup.options` in a directory of a test.
final class ComposeInstallation {
  private static final Path ROOT = Path.of(System.getProperty("viaduct.root"));
  private static final String PREFIX = "./installation/";

  private ComposeInstallation() {}

  /// Makes the files, including those of Alice's device.
  static Path make(Path directory) throws IOException {
    Path installation = directory.resolve("installation");
    var options = new ArrayList<String>();
    for (String line : Files.readAllLines(ROOT.resolve("docker/setup.options"))) {
      if (!line.startsWith("#") && !line.startsWith("--out")) {
        options.addAll(List.of(line.split(" ")));
      }
    }
    setup(installation, options.toArray(String[]::new));
    setup(installation, "snapt", "snapt-2", "--host", "snapt-2", "--owner", "beacon");
    HttpServer billing = billing();
    try {
      setup(
          installation,
          "user",
          "alice",
          "--billing",
          "http://127.0.0.1:" + billing.getAddress().getPort());
    } finally {
      billing.stop(0);
    }
    return installation;
  }

  private static void setup(Path installation, String... arguments) {
    var words = new ArrayList<>(List.of(arguments));
    words.addAll(List.of("--out", installation.toString()));
    assertThat(SetupCommand.run(InstantSource.system(), ROOT, words.toArray(String[]::new)))
        .as(words.toString())
        .isZero();
  }

  /// Starts a server that answers like a billing without accounts.
  private static HttpServer billing() throws IOException {
    var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          byte[] answer = "{\"token\": \"t\"}".getBytes(StandardCharsets.UTF_8);
          boolean asked = exchange.getRequestMethod().equals("GET");
          exchange.sendResponseHeaders(asked ? 404 : 201, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
    server.start();
    return server;
  }

  /// Returns the value of a key of a service, or of the block that is merged into it (`<<`).
  static @Nullable Object value(Map<?, ?> service, String key) {
    if (service.containsKey(key)) {
      return service.get(key);
    }
    return service.get("<<") instanceof Map<?, ?> base ? value(base, key) : null;
  }

  /// Returns the environment variables that a compose file gives to a service.
  static Map<?, ?> environment(Path file, String service) throws IOException {
    var load = new Load(LoadSettings.builder().build());
    var services =
        (Map<?, ?>) ((Map<?, ?>) load.loadFromString(Files.readString(file))).get("services");
    return services.get(service) instanceof Map<?, ?> named
            && value(named, "environment") instanceof Map<?, ?> variables
        ? variables
        : Map.of();
  }

  /// Returns the files of an installation that a service of the compose file mounts: file → path in
  /// the container.
  static Map<String, String> mounts(Path docker, String service) throws IOException {
    var load = new Load(LoadSettings.builder().build());
    var file = (Map<?, ?>) load.loadFromString(Files.readString(docker.resolve("compose.yml")));
    var services = (Map<?, ?>) file.get("services");
    var mounts = new TreeMap<String, String>();
    if (!(((Map<?, ?>) services.get(service)).get("volumes") instanceof List<?> volumes)) {
      return mounts;
    }
    for (Object volume : volumes) {
      String[] parts = volume.toString().split(":");
      if (parts[0].startsWith(".")) {
        assertThat(parts[2]).as(service + " must not write " + parts[0]).isEqualTo("ro");
        if (parts[0].startsWith(PREFIX)) {
          mounts.put(parts[0].substring(PREFIX.length()), parts[1]);
        } else {
          assertThat(docker.resolve(parts[0])).as(service).isRegularFile(); // a script of ours
        }
      }
    }
    return mounts;
  }
}
