package io.viaduct.testbed.moving;

import io.viaduct.testbed.process.FirstProcess;
import io.viaduct.testbed.topology.NetworkNamespace;
import io.viaduct.testbed.topology.NetworkPlan;
import java.util.List;
import tools.jackson.databind.JsonNode;

/// The first process of the laboratory of [OnlySipLabIT]; prints what it sees. Both gateways drop
/// what goes to the SNAPT, by UDP and by TCP, and pass SIP. Later they pass all again.
public final class OnlySipDay {
  private static final String WORDS = "only SIP passes";

  private final MovingLab lab;

  private OnlySipDay(MovingLab lab) {
    this.lab = lab;
  }

  /// @param arguments the clone, and a directory for this run
  public static void main(String[] arguments) throws Exception {
    FirstProcess.run(
        arguments,
        (clone, directory) -> {
          new OnlySipDay(new MovingLab(clone, directory, NetworkPlan.STANDARD, "", "")).pass();
        });
  }

  private void pass() throws Exception {
    lab.start();
    MovingLab.await(() -> probes().path("answered").asLong(0) > 0, "a SIP probe is answered");
    MovingLab.say("alone beside the tunnel", probes().path("isAlone").asBoolean(true));
    MovingLab.say("round trip beside the tunnel", probes().path("roundTripMs").isNumber());
    block("add");
    MovingLab.await(() -> reasons().contains(WORDS), "the status says that only SIP passes");
    MovingLab.say("reasons", reasons());
    MovingLab.say("round trip alone", probes().path("roundTripMs").isNumber());
    block("del");
    MovingLab.await(
        () -> lab.agent.status().path("state").asString("").equals("up"), "the tunnel is up again");
    MovingLab.say("alone again beside the tunnel", probes().path("isAlone").asBoolean(true));
  }

  private JsonNode probes() throws Exception {
    return lab.agent.status().path("signalling").path("probes");
  }

  private String reasons() throws Exception {
    return lab.agent.status().path("reasons").toString();
  }

  // A blackhole rule of the routing policy sends no ICMP, and works without nftables.
  private void block(String how) {
    for (String link : List.of("A", "B")) {
      NetworkNamespace gateway = lab.network.gateway(link);
      for (String protocol : List.of("udp", "tcp")) {
        gateway.ip("rule " + how + " ipproto " + protocol + " dport 443 priority 10 blackhole");
      }
    }
  }
}
