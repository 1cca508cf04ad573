package io.viaduct.cnapt.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.viaduct.cnapt.LabNamespace;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Runs each scenario of [EgressScenario] in its own network namespace.
class EgressRoutingLabIT {
  private LabNamespace namespace;

  @BeforeEach
  void needsRoot() throws Exception {
    namespace = LabNamespace.make("egress");
  }

  @AfterEach
  void remove() throws Exception {
    if (namespace != null) {
      namespace.close();
    }
  }

  @Test
  void everythingEntersTheTunnelExceptMarkedAndConnected() throws Exception {
    String seen = scenario("lead");
    assertThat(seen)
        .contains("tunnelled 8.8.8.8 dev viaduct9")
        .contains("tunnelled 2001:4860::1 ")
        .contains("dev viaduct9")
        .contains("marked 8.8.8.8 via 10.5.0.1 dev up0")
        .contains("connected 10.5.0.7 dev up0")
        .contains("resolver 10.5.0.53 dev viaduct9")
        .containsPattern("resolver fd05::53 .*dev viaduct9")
        .contains("marked resolver 10.5.0.53 dev up0")
        .contains("mtu 1414");
  }

  @Test
  void routesThatANetworkPushesDoNotLeadPastTheTunnel() throws Exception {
    assertThat(scenario("pushed"))
        .contains("pushed 1.1.1.1 dev viaduct9")
        .contains("pushed 198.51.100.9 dev viaduct9")
        .contains("pushed 8.8.8.8 dev viaduct9")
        .contains("pushed 9.9.9.9 dev viaduct9")
        .containsPattern("pushed 2001:4860::1 .*dev viaduct9")
        .contains("agent 1.1.1.1 via 10.5.0.1 dev up0")
        .contains("private 10.9.0.1 via 10.5.0.3 dev up0")
        .contains("noticed 5 [")
        .contains("0.0.0.0/1 via 10.5.0.1 dev up0", "9.9.9.0/24 dev up0", "2000:0:0:0:0:0:0:0/3")
        .contains("then 5, present 4")
        .contains("left: rules [] table []");
  }

  @Test
  void stopRemovesEveryRuleAndRoute() throws Exception {
    assertThat(scenario("stop")).contains("left: rules [] table []");
  }

  @Test
  void leftOversOfAKilledAgentAreReplacedNotDoubled() throws Exception {
    assertThat(scenario("killed")).contains("rules of ours: 5").contains("left: rules [] table []");
  }

  @Test
  void prefixesAndUsersOfTheSplitStayOutside() throws Exception {
    assertThat(scenario("split"))
        .contains("outside 192.0.2.7 via 10.5.0.1 dev up0")
        .containsPattern("outside 2001:db8::7 .*via fd05::1 dev up0")
        .contains("tunnelled 192.0.3.7 dev viaduct9")
        .contains("user outside 8.8.8.8 via 10.5.0.1 dev up0")
        .contains("user tunnelled 8.8.8.8 dev viaduct9")
        .contains("user resolver 10.5.0.53 dev viaduct9")
        .contains("split rules: 8")
        .contains("no route RTNETLINK answers: Network is unreachable")
        .doesNotContainPattern("no route [^\n]*viaduct9")
        .containsPattern("still tunnelled 2001:4860::1 .*dev viaduct9")
        .contains("marked by a rule behind 192.0.2.7 via 10.5.0.1 dev up0")
        .contains("without a split 192.0.2.7 dev viaduct9")
        .contains("left: rules [] table []");
  }

  @Test
  void socketsWithTheMarkOfProcessesStayOutside() throws Exception {
    assertThat(scenario("marked"))
        .contains("before 8.8.8.8 dev viaduct9")
        .contains("replaced 8.8.8.8 dev viaduct9")
        .contains("outside 8.8.8.8 via 10.5.0.1 dev up0 src 10.5.0.2")
        .containsPattern("outside 2001:4860::1 .*via fd05::1 dev up0 .*src fd05::2")
        .contains("resolver 10.5.0.53 dev viaduct9")
        .containsPattern("resolver fd05::53 .*dev viaduct9")
        .contains("unmarked 8.8.8.8 dev viaduct9")
        .contains("no route RTNETLINK answers: Network is unreachable")
        .doesNotContainPattern("no route [^\n]*viaduct9")
        .contains("mark rules: 0", "mark rules afterwards: 0")
        .contains("left: rules [] table []");
  }

  @Test
  void anOutageLetsOutOnlyTheChosenTrafficAndNewSockets() throws Exception {
    assertThat(scenario("outage"))
        .contains("out 8.8.8.8 via 10.5.0.1 dev up0")
        .contains("closed port 8.8.8.8 dev viaduct9")
        .contains("closed protocol 8.8.8.8 dev viaduct9")
        .contains("old socket 8.8.8.8 from 100.96.0.2 dev viaduct9")
        .contains("after 8.8.8.8 dev viaduct9")
        .contains("all 8.8.8.8 via 10.5.0.1 dev up0")
        .containsPattern("all 2001:4860::1 .*via fd05::1 dev up0")
        .contains("all resolver 10.5.0.53 dev up0")
        .contains("outage rules: 0");
  }

  @Test
  void aCaptivePortalIsReachedAndNothingElse() throws Exception {
    assertThat(scenario("portal"))
        .contains("portal 192.0.2.7 via 10.5.0.1 dev up0")
        .containsPattern("portal 2001:db8::7 .*via fd05::1 dev up0")
        .contains("other port 192.0.2.7 dev viaduct9")
        .contains("other host 192.0.2.8 dev viaduct9")
        .contains("passed 192.0.2.7 dev viaduct9")
        .contains("portal rules: 0")
        .contains("left: rules [] table []");
  }

  @Test
  void aRefusalOfTheKernelLeavesNothingBehind() throws Exception {
    assertThat(scenario("refused"))
        .contains("refused: ip -4 refused")
        .contains("left: rules [] table []");
  }

  @Test
  void anUnwritableCommandIsNamed() {
    assertThatThrownBy(() -> IpCommand.run(AddressFamily.IPV4, List.of("route add nonsense")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("route add nonsense");
  }

  private String scenario(String name) throws Exception {
    return namespace.run(EgressScenario.class, name);
  }
}
