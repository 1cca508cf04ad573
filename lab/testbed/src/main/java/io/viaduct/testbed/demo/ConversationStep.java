package io.viaduct.testbed.demo;

import io.viaduct.testbed.deployment.Deployment;
import io.viaduct.testbed.deployment.Plans;
import io.viaduct.testbed.process.ServiceProcess;
import io.viaduct.testbed.topology.NetworkNamespace;
import io.viaduct.testbed.topology.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/// Step (e) where no call is possible: two SIP user agents exchange messages. Alice's runs on the
/// device, so her messages pass the tunnel. Bob's runs beside the server and echoes each message.
final class ConversationStep {
  private static final List<String> WORDS = List.of("is the harbour still open", "see you there");
  private static final long REGISTRATION_PATIENCE_NS = 60_000_000_000L;
  private static final long MESSAGE_PATIENCE_NS = 20_000_000_000L;

  private final Topology topology;
  private final Deployment deployment;
  private final LongSupplier nanoTime;

  ConversationStep(Topology topology, Deployment deployment, LongSupplier nanoTime) {
    this.topology = topology;
    this.deployment = deployment;
    this.nanoTime = nanoTime;
  }

  void run(Narration narration) {
    ServiceProcess bob = start("bob", topology.server, "listen", List.of("--echo"));
    ServiceProcess alice = start("alice", topology.device, "listen", List.of());
    try {
      converse(narration, alice, bob);
    } finally {
      alice.kill();
      bob.kill();
    }
  }

  private void converse(Narration narration, ServiceProcess alice, ServiceProcess bob) {
    if (!narration.hold(
        waitFor(bob, "registration ACTIVE", REGISTRATION_PATIENCE_NS)
            && waitFor(alice, "registration ACTIVE", REGISTRATION_PATIENCE_NS),
        "alice and bob are registered")) {
      narration.block(alice.lastLines(5));
      narration.block(bob.lastLines(5));
    }
    for (String words : WORDS) {
      int status =
          start("alice-writes", topology.device, "message", List.of("bob", words)).awaitEnd();
      boolean there = waitFor(bob, words, MESSAGE_PATIENCE_NS);
      boolean back = waitFor(alice, words, MESSAGE_PATIENCE_NS);
      narration.hold(
          status == 0 && there && back,
          "alice → bob \"%s\": accepted %s, read %s, answered %s",
          words,
          yes(status == 0),
          yes(there),
          yes(back));
    }
  }

  private ServiceProcess start(
      String name, NetworkNamespace namespace, String verb, List<String> more) {
    String user = name.startsWith("alice") ? "alice" : "bob";
    var words = new ArrayList<>(deployment.java());
    words.addAll(
        List.of(
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            "io.viaduct.sip.useragent.UserAgentCommand",
            verb,
            "--domain=" + Plans.DOMAIN,
            "--user=" + user,
            "--password-file=" + deployment.directory().resolve(user + ".password"),
            "--registrar=" + Topology.CONTROL + ":" + Plans.SIP_PORT));
    words.addAll(more);
    return ServiceProcess.start(name, namespace, words, deployment.directory());
  }

  private boolean waitFor(ServiceProcess process, String text, long patienceNs) {
    long endNs = nanoTime.getAsLong() + patienceNs;
    while (!process.lastLines(50).contains(text)) {
      if (nanoTime.getAsLong() - endNs > 0 || !process.isAlive()) {
        return process.lastLines(50).contains(text);
      }
      LockSupport.parkNanos(50_000_000);
    }
    return true;
  }

  private static String yes(boolean holds) {
    return holds ? "yes" : "no";
  }
}
