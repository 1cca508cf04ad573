package io.viaduct.cnapt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.viaduct.cnapt.links.LinkRule;
import io.viaduct.cnapt.links.LinkUse;
import io.viaduct.service.configuration.ConfigurationException;
import io.viaduct.service.configuration.ConfigurationFile;
import io.viaduct.service.configuration.EffectiveConfiguration;
import io.viaduct.tunnel.pacing.Pacing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CnaptConfigurationTest {
  private static final String BASE =
      "device-key: /etc/viaduct/device.pem\ntrust: /etc/viaduct/ca.pem\n";
  private static final String OFFLINE =
      BASE + "snapt: {host: snapt-1.test}\ntoken-file: /run/viaduct/token\n";

  @TempDir Path folder;

  private CnaptConfiguration load(String text) throws IOException {
    return ConfigurationFile.load(
        Files.writeString(folder.resolve("cnapt.yml"), text), CnaptConfiguration.class);
  }

  @Test
  void aTokenFileAndASnaptAreEnough() throws IOException {
    CnaptConfiguration loaded = load(OFFLINE);
    assertThat(loaded.snapt().port()).isEqualTo(443);
    assertThat(loaded.signalling().enabled()).isFalse();
    assertThat(loaded.tunnel().limits().pathMtu()).isEqualTo(1500);
    assertThat(loaded.applications()).isEmpty();
  }

  @Test
  void aBridgeWithUserAndPasswordIsEnoughAndThePasswordIsNotShown() throws IOException {
    Path password = Files.writeString(folder.resolve("password"), "sesame");
    Files.setPosixFilePermissions(password, PosixFilePermissions.fromString("rw-------"));
    CnaptConfiguration loaded =
        load(
            BASE
                + "signalling: {bridge: 10.9.0.5, domain: ims.test, user: alice, password-file: "
                + password
                + "}");
    assertThat(loaded.signalling().enabled()).isTrue();
    assertThat(loaded.toString()).doesNotContain("sesame");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "tunel: {} | unknown key 'tunel'",
        "tun: {mtu: 1400} | unknown key 'tun.mtu'",
        "tun: {name: this-is-too-long-a-name} | name must be 1 to 15",
        "tun: {ipv4: 10.0.0.300} | ipv4 must be an address or empty, got '10.0.0.300'",
        "tun: {ipv4: '', ipv6: ''} | one of ipv4 and ipv6 must be given",
        "tunnel: {path-mtu: 1279} | path-mtu is 1279, must be 1280 … 9000 bytes",
        "tunnel: {aead: rot13} | aead must be one of auto, aes-256-gcm, chacha20-poly1305, got 'rot13'",
        "tunnel: {context: planet} | context must be one of remote-host, device, off, got 'planet'",
        "tunnel: {compound-percent: 0} | compound-percent must be from 10 to 100, got 0",
        "tunnel: {history-bytes: 40000} | history-bytes is 40000, must be 0, or a power of two",
        "tunnel: {pacing: fast} | pacing must be auto, off, or a rate",
        "tunnel: {sending: {}} | unknown key 'tunnel.sending'",
        "routing: {table: 254} | table must be at least 256",
        "routing: {mark: 0} | mark must be at least 1",
        "routing: {priority: 32766} | priority must be from 1 to 32764",
        "split-tunnel: {prefixes: [10.0.0.1/8]} | key 'split-tunnel.prefixes[0]': bits behind the prefix must be 0",
        "split-tunnel: {users: [alice]} | key 'split-tunnel.users[0]': a user must be a number (id -u NAME)",
        "split-tunnel: {users: [9-5]} | got '9-5'",
        "portal: {probe: https://a.test/} | probe must be a page such as http://host/generate_204, without TLS",
        "portal: {probe: page} | got 'page'",
        "portal: {interval: 10ms} | interval must be at least 1s",
        "outage: {after: 0s} | after must be at least 1s",
        "outage: {closed: [web]} | unknown key 'outage.closed'",
        "dns: [resolver.example] | dns must be a list of IP addresses, got 'resolver.example'",
        "dns: [127.0.0.1] | dns must name hosts beyond the tunnel, got '127.0.0.1'",
        "dns: [192.0.2.1, 192.0.2.2, 192.0.2.3, 192.0.2.4] | dns must name 3 resolvers at most",
        "links: [{use: spare}] | key 'links[0].name': must be given",
        "links: [{name: wlan0, uze: no}] | unknown key 'links[0].uze'",
        "links: [{name: wlan0, use: maybe}] | key 'links[0].use': use must be yes, spare or no, got 'maybe'",
        "links: [{name: a/b}] | key 'links[0].name': name must be an interface or a pattern",
        "links: [{name: wlan0, cost: -1}] | cost must be from 0 to 1000000000",
        "links: [{name: wlan*}, {name: wlan0}] | links: line 2 (wlan0) can never decide",
        "policy: [{method: fast}] | key 'policy[0].method': method must be one of",
        "policy: [{method: all, port: [1]}] | unknown key 'policy[0].port'",
        "links: wlan0 | must be a list",
        "mobility: {probe-interval: 5} | must be a duration with its unit, such as 200ms",
        "mobility: {silent-interval: 1ms} | silent-interval must be at least probe-interval",
        "mobility: {losses-until-dead: 1} | losses-until-dead must be from 2 to 100",
        "control: {retry-max: 1ms} | retry-max must be at least retry-first",
        "control: {snapt-patience: PT-1S} | snapt-patience must be 0s or longer",
        "snapt: {port: 0} | port must be from 1 to 65535, got 0",
        "signalling: {transport: sctp} | transport must be udp or tcp, got 'sctp'",
        "signalling: {bridge: b.test} | needs domain, user and password-file",
        "operations: {port: 70000} | port must be from 0 to 65535, got 70000",
        "snapt: {host: ''} | snapt.host must be given with token-file",
        "token-file: null | exactly one of signalling.bridge and token-file"
      })
  void aBadValueIsRefusedWithItsKeyAndRule(String line) {
    String[] parts = line.split(" \\| ");
    // Of two equal keys, YAML uses the last one, so the test case overrides the base.
    String key = parts[0].substring(0, parts[0].indexOf(':'));
    String base =
        OFFLINE.lines().filter(l -> !l.startsWith(key)).reduce("", (a, b) -> a + b + "\n");
    assertThatThrownBy(() -> load(base + parts[0]))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining(parts[1]);
  }

  @Test
  void whatIsPrintedIsInTheWordsOfTheFileAndCanBeLoaded() throws IOException {
    CnaptConfiguration loaded =
        load(OFFLINE + "tunnel: {context: off, pacing: 5000000, history-bytes: 0}\n");
    String printed = EffectiveConfiguration.of(loaded);
    assertThat(printed)
        .contains(
            "  path-mtu: 1500\n  aead: auto\n  context:", "  pacing: ", "  history-bytes: 0\n");
    assertThat(load(printed)).isEqualTo(loaded);
    CnaptConfiguration links =
        load(OFFLINE + "links: [{name: wlan*, use: yes}, {name: eth1, use: no, cost: 2.5}]\n");
    assertThat(load(EffectiveConfiguration.of(links))).isEqualTo(links);
    CnaptConfiguration policy =
        load(
            OFFLINE
                + """
                policy:
                  - {applications: [web], classes: [HT_HD], protocol: tcp, to: [10.0.0.0/8],
                     ports: [80, 8000-8999], method: cost then packet after 5 s}
                """);
    assertThat(load(EffectiveConfiguration.of(policy))).isEqualTo(policy);
    assertThat(links.links())
        .extracting(LinkRule::use)
        .containsExactly(Optional.of(LinkUse.YES), Optional.of(LinkUse.NO));
    assertThat(loaded.tunnel().sending().pacing()).isEqualTo(Pacing.of("5000000"));
    assertThat(loaded.tunnel().limits().historyBytes()).isZero();
  }

  @Test
  void aMissingDeviceKeyIsNamed() {
    assertThatThrownBy(() -> load("trust: a\n")).hasMessageContaining("device-key");
  }
}
