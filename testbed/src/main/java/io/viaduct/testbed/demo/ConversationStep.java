package io.viaduct.testbed.demo;

import io.viaduct.testbed.deployment.Passwords;
import io.viaduct.testbed.topology.Topology;
import java.nio.file.Path;

/// (d) two SIP user agents exchange messages; alice's runs on the device, so hers cross the tunnel.
final class ConversationStep {
  ConversationStep(Topology topology, Passwords passwords, Path root, Path directory) {}

  void run(Narration narration) {
    narration.hold(false, "the conversation took place");
  }
}
