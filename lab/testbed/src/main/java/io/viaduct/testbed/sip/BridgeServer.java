package io.viaduct.testbed.sip;

import io.viaduct.testbed.deployment.Deployment;
import io.viaduct.testbed.deployment.Plans;
import io.viaduct.testbed.pki.RunAuthority;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// The bridge, with billing that provides its subscribers.
final class BridgeServer implements SipServer {
  static final String NAME = "viaduct";
  private static final String BRIDGE = "ims-bridge";
  private static final String BILLING = "danum-billing";

  private final Deployment deployment;
  private boolean hasBilling;

  /// @param deployment nothing of it runs yet
  BridgeServer(Deployment deployment) {
    this.deployment = deployment;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public int port() {
    return Plans.SIP_PORT;
  }

  @Override
  public void start() throws Exception {
    if (!hasBilling) {
      provide();
      deployment.start(deployment.plans().billing(0));
      deployment.awaitReady(BILLING);
      hasBilling = true;
    }
    deployment.start(deployment.plans().bridge());
    deployment.awaitReady(BRIDGE);
  }

  /// Writes the subscribers that billing imports.
  private void provide() throws IOException {
    Path directory = deployment.directory();
    StringBuilder list = new StringBuilder("subscribers:\n");
    for (int i = 0; i < Sipp.USERS; i++) {
      String user = Sipp.user(i);
      Path password = directory.resolve(user + ".password");
      RunAuthority.secret(password, Sipp.password(user));
      list.append("  - {user: %s, password-file: %s}%n".formatted(user, password));
    }
    Files.writeString(directory.resolve("subscribers.yml"), list);
  }

  @Override
  public List<Long> processes() {
    return List.of(deployment.process(BRIDGE).id());
  }

  @Override
  public void close() {
    int code = deployment.stop(BRIDGE);
    if (code != 0) {
      System.err.printf("bench sip: %s ended with %d%n", BRIDGE, code);
    }
  }
}
