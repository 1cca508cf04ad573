package io.viaduct.testbed.sip;

import io.viaduct.testbed.demo.BillingClient;
import io.viaduct.testbed.demo.Retry;
import io.viaduct.testbed.deployment.Deployment;
import io.viaduct.testbed.deployment.Passwords;
import io.viaduct.testbed.deployment.Plans;
import io.viaduct.testbed.deployment.ServicePlan;
import io.viaduct.testbed.pki.RunAuthority;
import io.viaduct.testbed.topology.Topology;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/// The bridge, with billing that provides its subscribers.
final class BridgeServer implements SipServer {
  static final String NAME = "viaduct";
  private static final String BRIDGE = "ims-bridge";
  private static final String BILLING = "danum-billing";

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int BINDINGS_MAX = 100_000; // the default
  private static final int ANSWERS_PER_SOURCE = 100_000;
  private static final long CREDIT_MICRODENARII = 1_000_000;

  private final Deployment deployment;
  private final Passwords passwords;
  private final int contacts;
  private boolean hasBilling;

  /// @param deployment nothing of it runs yet
  /// @param contacts users of [ContactsLoad]
  BridgeServer(Deployment deployment, Passwords passwords, int contacts) {
    this.deployment = deployment;
    this.passwords = passwords;
    this.contacts = contacts;
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
      topUp();
      hasBilling = true;
    }
    ServicePlan plan = deployment.plans().bridge();
    deployment.start(plan.withConfiguration(roomy(plan.configuration(), contacts)));
    deployment.awaitReady(BRIDGE);
  }

  /// Returns the configuration for a load that comes from one UDP source, as no user agent's does:
  /// the budget of answers to a source that may be forged would refuse it.
  ///
  /// @param contacts registered beside those of the load
  static String roomy(String configuration, int contacts) {
    String begin = "sip: {";
    if (!configuration.contains(begin)) {
      throw new IllegalArgumentException("no line '" + begin + "' in " + configuration);
    }
    return configuration.replace(
        begin,
        begin
            + "bindings: %d, answers-per-source: %d, "
                .formatted(BINDINGS_MAX + contacts, ANSWERS_PER_SOURCE));
  }

  // Without credit nobody may call.
  private void topUp() throws Exception {
    String address = "http://%s:%d".formatted(Topology.CONTROL, Plans.BILLING_REST_PORT);
    BillingClient operator =
        new BillingClient(address, new Retry(PATIENCE, System::nanoTime))
            .logIn("operator", passwords.operator());
    for (int i = 1; i < Sipp.USERS; i++) {
      operator.topUp(Sipp.user(i), CREDIT_MICRODENARII, "bench-sip-" + i);
    }
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
    for (int i = 0; i < contacts; i++) {
      list.append(ContactsLoad.subscriber(i));
    }
    Files.writeString(directory.resolve("subscribers.yml"), list);
  }

  @Override
  public List<Long> processes() {
    return List.of(deployment.process(BRIDGE).id());
  }

  /// Returns a value of the running bridge.
  long metric(String name) throws IOException {
    return deployment.metric(BRIDGE, name);
  }

  /// Returns the longest time of a tick of the bridge's periodic work in the last minutes, in ms.
  double longestTickMs() throws IOException {
    return 1e3 * deployment.measure(BRIDGE, "viaduct_bridge_tick_seconds_max");
  }

  @Override
  public void close() {
    int code = deployment.stop(BRIDGE);
    if (code != 0) {
      System.err.printf("bench sip: %s ended with %d%n", BRIDGE, code);
    }
  }
}
