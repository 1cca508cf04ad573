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

  private static final String KEY = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"; // RFC 8032 §7.1
  private static final String PEER =
      """
      device-key: own.pem
      tun: {ipv4: 10.9.0.1, ipv6: ""}
      peer: {key: %s, %%s, prefixes: [10.9.0.2]}
      """
          .formatted(KEY);

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
        "split-tunnel: {control-groups: [a/../b]} | control-groups must be paths such as",
        "split-tunnel: {control-groups: [/]} | got '/'",
        "split-tunnel: {group: a/b} | group must be 1 to 255 letters",
        "split-tunnel: {mark: 0} | mark must be at least 1",
        "split-tunnel: {mark: 30305} | split-tunnel.mark must not be routing.mark",
        "portal: {probe: https://a.test/} | probe must be snapt, a page such as http://host/generate_204, without TLS",
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
        "links: [{name: wlan1, use: no}]\npolicy: [{applications: [ssh], method: own wlan1}] | policy: line 1 (applications ssh): 'own wlan1' carries nothing, because links says use no of wlan1",
        "links: [{name: 'wlan*', use: no}]\npolicy: [{method: cost}, {method: cost then own wlan1 after 5 s}] | policy: line 2 (every flow): 'own wlan1' carries nothing",
        "links: [{name: '*', use: no}] | links: line 1 (*) leaves no link to the device",
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
  void aPeerNeedsItsKeyAddressesAndPrefixesAlone() throws IOException {
    CnaptConfiguration loaded = load(PEER.formatted("dial: [192.0.2.1, 192.0.2.2]"));
    assertThat(loaded.peer().enabled()).isTrue();
    assertThat(loaded.peer().dials()).isTrue();
    assertThat(loaded.peer().remotes()).hasSize(2);
    assertThat(loaded.limits().hasMeasurements()).isTrue();
    assertThat(load(EffectiveConfiguration.of(loaded))).isEqualTo(loaded);
    CnaptConfiguration listening = load(PEER.formatted("listen: [192.0.2.1], port: 5000"));
    assertThat(listening.peer().addresses())
        .containsExactly(new java.net.InetSocketAddress("192.0.2.1", 5000));
    assertThat(load(OFFLINE).limits().hasMeasurements()).as("a SNAPT needs none").isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "dial: [192.0.2.1], listen: [192.0.2.2] | exactly one of listen and dial must be given, got listen [192.0.2.2] and dial [192.0.2.1]",
        "port: 5 | exactly one of listen and dial must be given",
        "dial: [192.0.2.1, 192.0.2.2, 192.0.2.3, 192.0.2.4, 192.0.2.5, 192.0.2.6, 192.0.2.7, 192.0.2.8, 192.0.2.9] | at most 8 addresses may be given, because a session has at most 8 paths, got 9",
        "dial: [peer.example] | listen and dial must be lists of IP addresses, got 'peer.example'",
        "dial: [192.0.2.1, 192.0.2.1] | the address 192.0.2.1 is given twice",
        "listen: [0.0.0.0] | must be addresses of single hosts, got '0.0.0.0'",
        "dial: [192.0.2.1], port: 0 | port must be from 1 to 65535, got 0",
        "dial: [192.0.2.1], probe: 10ms | probe must be at least 50ms",
        "dial: [192.0.2.1], watchdog: 1s | watchdog must be from three times probe",
        "dial: [192.0.2.1], prefixes: [10.9.0.2, 10.9.0.0/16] | prefixes must not overlap, got 10.9.0.2/32 and 10.9.0.0/16: keep the larger one",
        "dial: [192.0.2.1], prefixes: [192.0.2.0/24] | prefixes: 192.0.2.0/24 contains the address 192.0.2.1 of dial",
        "dial: [192.0.2.1], prefixes: [0.0.0.0/0] | only networks behind the peer can be routed to it",
        "dial: [192.0.2.1], prefixes: [] | prefixes must name 1 to 64 networks",
        "dial: [192.0.2.1], prefixes: [10.9.0.0/24] | contains 10.9.0.1, the inner address of this end in tun: give both ends different ones",
        "dial: [192.0.2.1], prefixes: ['fd00::/64'] | peer.prefixes: fd00:0:0:0:0:0:0:0/64 needs an inner address of its family in tun",
        "dial: [192.0.2.1], key: short | key must be the other end's public key, 43 characters of base64url",
        "dial: [192.0.2.1], key: '' | key must be given with listen, dial or prefixes",
      })
  void aBadPeerIsRefusedWithTheValueAndTheRule(String line) {
    String[] parts = line.split(" \\| ");
    String text = PEER.formatted(parts[0]);
    // A key of the case overrides that of the base.
    if (parts[0].contains("prefixes:")) {
      text = text.replace(", prefixes: [10.9.0.2]", "");
    }
    if (parts[0].contains("key:")) {
      text = text.replace("key: " + KEY + ", ", "");
    }
    String whole = text;
    assertThatThrownBy(() -> load(whole))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining(parts[1]);
  }

  @Test
  void keysOfASnaptAreRefusedWithAPeer() {
    String peer = PEER.formatted("dial: [192.0.2.1]");
    for (String line :
        new String[] {
          "trust: ca.pem",
          "snapt: {host: relay.test}",
          "token-file: token",
          "dns: [192.0.2.9]",
          "outage: {direct: [web]}",
          "portal: {probe: http://a.test/}",
          "split-tunnel: {prefixes: [10.0.0.0/8]}"
        }) {
      assertThatThrownBy(() -> load(peer + line))
          .as(line)
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining("must not be given with peer.key")
          .hasMessageContaining(line.substring(0, line.indexOf(':')));
    }
    assertThatThrownBy(
            () -> load(PEER.formatted("listen: [192.0.2.1]") + "policy: [{method: all}]"))
        .hasMessageContaining("policy must be empty with peer.listen, got 1 lines");
    assertThatThrownBy(() -> load("device-key: k\nsnapt: {host: a}\ntoken-file: t\n"))
        .hasMessageContaining("trust must be given");
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
