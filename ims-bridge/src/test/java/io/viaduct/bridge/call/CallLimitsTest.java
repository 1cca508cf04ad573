package io.viaduct.bridge.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.bridge.BridgeRig;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Limits of a bridge that has room for one call, and whose devices may ring for 800 ms.
@Timeout(120)
class CallLimitsTest {
  @TempDir Path directory;

  @Test
  void aFullBridgeSaysWhenToComeAgainAndADeviceThatRingsForTooLongIsCancelled() throws Exception {
    try (BridgeRig rig =
            new BridgeRig(
                directory, BridgeRig.NO_BILLING, "calls: {per-user: 1, max: 1, ring: 800ms}\n");
        Phone alice = new Phone("alice", rig.bridge.sipPort());
        Phone bob = new Phone("bob", rig.bridge.sipPort());
        Phone carol = new Phone("carol", rig.bridge.sipPort())) {
      for (Phone phone : new Phone[] {alice, bob, carol}) {
        phone.register("", 600);
      }
      Dialog first = Dialog.call(alice, "bob");
      SipRequest invite = bob.request("INVITE");
      Dialog second = Dialog.call(carol, "bob");
      SipResponse full = carol.response("INVITE", 503);
      assertThat(full.headers().require("Retry-After")).isEqualTo("5");
      second.acknowledge(full);

      bob.answer(invite, 180);
      bob.answer(bob.request("CANCEL"), 200);
      bob.answer(invite, 487);
      first.acknowledge(alice.response("INVITE", 487));
    }
  }
}
