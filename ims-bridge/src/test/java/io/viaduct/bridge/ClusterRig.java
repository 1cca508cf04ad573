package io.viaduct.bridge;

import static org.awaitility.Awaitility.await;

import io.viaduct.bridge.configuration.BridgeConfiguration;
import io.viaduct.service.configuration.ConfigurationFile;
import io.viaduct.service.operations.Readiness;
import io.viaduct.service.tls.TestAuthority;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Three bridges of one domain, with one billing, on loopback. The first one is that of a
/// [BridgeRig].
public final class ClusterRig implements AutoCloseable {
  public static final int BRIDGES = 3;

  public final BridgeRig rig;
  public final List<RunningBridge> bridges = new ArrayList<>();
  private final List<BridgeConfiguration> configurations = new ArrayList<>();
  private final List<ReservedPort> ports = new ArrayList<>();

  /// @param more lines of the configuration of all bridges
  public ClusterRig(Path directory, String more) throws Exception {
    for (int i = 0; i < BRIDGES; i++) {
      ports.add(new ReservedPort());
    }
    Path key =
        TestAuthority.secret(
            directory.resolve("bridges.key"), Base64.getEncoder().encodeToString(new byte[32]));
    rig =
        new BridgeRig(
            directory,
            BridgeRig.NO_BILLING,
            text ->
                text.replace("contacts: 2", "contacts: 4")
                        .replace("grpc: {host: 127.0.0.1, port: 0}\n", section(0, key))
                    + more);
    bridges.add(rig.bridge);
    configurations.add(rig.configuration);
    for (int i = 1; i < BRIDGES; i++) {
      Path file = directory.resolve("bridge-" + (i + 1) + ".yml");
      Files.writeString(
          file,
          Files.readString(rig.file)
              .replace(section(0, key), section(i, key))
              .replace(
                  "state: " + directory.resolve("state") + "\n",
                  "state: " + directory.resolve("state-" + (i + 1)) + "\n"));
      configurations.add(ConfigurationFile.load(file, BridgeConfiguration.class));
      bridges.add(start(i));
    }
    await().until(() -> bridges.stream().allMatch(each -> linked(each) == BRIDGES - 1));
    await().until(() -> bridges.stream().allMatch(each -> each.subscribers().isLoaded()));
  }

  private RunningBridge start(int index) throws Exception {
    return RunningBridge.start(configurations.get(index), rig.clock, new Readiness());
  }

  private String section(int self, Path key) {
    String peers =
        IntStream.range(0, BRIDGES)
            .filter(i -> i != self)
            .mapToObj(i ->
                "{name: bridge-%d, host: 127.0.0.1, port: %d}"
                    .formatted(i + 1, ports.get(i).number()))
            .collect(Collectors.joining(", "));
    return "grpc: {host: 127.0.0.1, port: %d}\nbridges: {name: bridge-%d, key-file: %s, peers: [%s]}\n"
        .formatted(ports.get(self).number(), self + 1, key, peers);
  }

  /// Returns how many others a bridge has a link with.
  public static double linked(RunningBridge bridge) {
    return bridge.registry().get("viaduct_bridge_peers").tag("state", "linked").gauge().value();
  }

  public static double counter(RunningBridge bridge, String name, String tag, String value) {
    return bridge.registry().get(name).tag(tag, value).counter().count();
  }

  /// Ends a bridge, and waits until the others have noticed.
  public void kill(int index) {
    bridges.get(index).close();
    await()
        .until(() ->
            IntStream.range(0, BRIDGES)
                .filter(i -> i != index)
                .allMatch(i -> linked(bridges.get(i)) <= BRIDGES - 2));
  }

  /// Starts a bridge again that was killed, on other SIP ports.
  public void restart(int index) throws Exception {
    bridges.set(index, start(index));
    if (index == 0) {
      rig.bridge = bridges.getFirst();
    }
    await().until(() -> bridges.stream().allMatch(each -> linked(each) == BRIDGES - 1));
  }

  @Override
  public void close() throws Exception {
    for (RunningBridge bridge : bridges.subList(1, BRIDGES)) {
      bridge.close();
    }
    rig.close();
    for (ReservedPort port : ports) {
      port.close();
    }
  }
}
