package io.viaduct.snapt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.viaduct.service.configuration.ConfigurationException;
import io.viaduct.service.configuration.ConfigurationFile;
import io.viaduct.service.configuration.EffectiveConfiguration;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.service.tls.TestAuthority;
import io.viaduct.service.tls.TlsSettings;
import io.viaduct.snapt.egress.Switch;
import io.viaduct.tunnel.terms.CompressionContext;
import io.viaduct.tunnel.terms.TunnelSettings;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.interfaces.EdECPublicKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SnaptConfigurationTest {
  private static final String NEEDED =
      """
      id: snapt-1
      tls: {certificate: a.pem, private-key: b.pem, trust: c.pem}
      """;
  private static final String REPORTING =
      "reporting: {bridge-host: bridge.test, report-key: r.pem}\n";

  @TempDir Path folder;

  private Path file(String text) throws Exception {
    return Files.writeString(folder.resolve("snapt.yml"), text);
  }

  @Test
  void whatMustBeGivenIsLittleAndTheRestHasDefaults() throws Exception {
    SnaptConfiguration configuration =
        ConfigurationFile.load(file(NEEDED + REPORTING), SnaptConfiguration.class);
    assertThat(configuration.metering().interval()).hasSeconds(60);
    assertThat(configuration.egress().masquerade()).isEqualTo(Switch.AUTO);
    assertThat(configuration.data().loops(6)).isEqualTo(4);
    assertThat(EffectiveConfiguration.of(configuration))
        .contains("id: snapt-1\n", "  bridge-host: bridge.test\n", "  ipv4: 10.200.0.0/16\n");
  }

  @Test
  void theTunnelKeysAreWhatItDoesWithWhatItSends() throws Exception {
    String keys =
        "tunnel: {context: off, compound-percent: 90, class-deadlines: [5ms, 5ms, 5ms, 5ms]}";
    SnaptConfiguration configuration =
        ConfigurationFile.load(
            file(NEEDED + REPORTING + keys + "\ndata: {path-mtu: 1400}"), SnaptConfiguration.class);
    TunnelSettings settings = configuration.tunnel();
    assertThat(settings.context()).isEqualTo(CompressionContext.OFF);
    assertThat(settings.compoundPercent()).isEqualTo(90);
    assertThat(settings.historyBytes()).isEqualTo(65_536);
    assertThat(configuration.limits().pathMtu()).isEqualTo(1400);
    assertThat(settings.classDeadlines()).containsOnly(Duration.ofMillis(5));
    assertThat(settings.classQueueBytes()).isEqualTo(TunnelSettings.defaults().classQueueBytes());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "metering: {interval: 4s}        | metering.interval must be from 5000 ms to 300000 ms",
        "metering: {interval: 301s}      | metering.interval",
        "data: {loops: 3}                | data.loops must be 0 or a power of two",
        "data: {port: 70000}             | data.port must be from 0 to 65535, got 70000",
        "pool: {ipv4: 10.0.0.1/8}        | bits behind the prefix must be 0",
        "pool: {ipv6: 'fd00::/126'}      | as many addresses",
        "sessions: {max: 100000}         | sessions.max must not exceed the addresses",
        "egress: {tun: 'a/b'}            | egress.tun must be 1 to 15 of letters",
        "egress: {masquerade: perhaps}   | must be auto, on or off, got 'perhaps'",
        "tunnel: {context: all}          | must be one of remote-host, device, off, got 'all'",
        "tunnel: {compound-percent: 9}   | compound-percent must be from 10 to 100, got 9",
        "tunnel: {class-deadlines: [1s]} | class-deadlines",
        "tunnel: {class-queue-bytes: [1, 1, 1, 1]} | class-queue-bytes is 1, must be 131072",
        "tunnel: {scheduling: {order: fair}} | order must be one of priority, max-weight, got 'fair'",
        "tunnel: {scheduling: {weights: [1, 1]}} | scheduling.weights is [1, 1], must be one per class",
        "tunnel: {scheduling: {weights: [0, 1, 1, 1]}} | scheduling.weights is 0, must be 1 … 1000",
        "tunnel: {scheduling: {reference-rates: [1, 1, 1, 1]}} | must be 1000 … 10000000000 bit/s",
        "tunnel: {history-bytes: 8192}   | history-bytes is 8192, must be 0, or a power of two",
        "tunnel: {history-bytes: 2097152} | from 16384 to 1048576",
        "data: {history-budget-bytes: 1} | data.history-budget-bytes must be from 1048576 to",
        "data: {path-mtu: 9001}          | data.path-mtu must be from 1280 to 9000, got 9001",
        "control: {listn: x}             | unknown key 'control.listn'",
        "group: {name: 'a b'}            | group.name must be empty, or 1 to 63 of letters",
        "group: {name: core}             | give both or neither, got the name 'core' and 0 members",
        "group: {name: core, members: [{id: snapt-1, host: b, port: 1, next-hop: 192.0.2.2, next-hop6: '', pool: {ipv4: 10.9.0.0/16, ipv6: 'fd09::/64'}}]} | got this one's id snapt-1",
        "group: {name: core, members: [{id: snapt-2, host: b, port: 1, next-hop: b, next-hop6: '', pool: {ipv4: 10.9.0.0/16, ipv6: 'fd09::/64'}}]} | group.members.next-hop must be a numeric address of IPv4, got 'b'",
        "group: {name: core, members: [{id: snapt-2, host: b, port: 1, next-hop: 192.0.2.2, next-hop6: '', pool: {ipv4: 10.200.1.0/24, ipv6: 'fd09::/64'}}]} | the pools of a group must not share addresses, got 10.200.0.0/16 and 10.200.1.0/24 of snapt-2",
        "group: {name: core, members: [{id: snapt-2, host: b, port: 1, next-hop: 192.0.2.2, next-hop6: '', pool: {ipv4: 10.9.0.0/16, ipv6: 'fd09::/64'}}]} | egress.masquerade must be off with a group, got AUTO",
        "id: 'a b'                       | id must be 1 to 63 of letters",
      })
  void aBadValueIsRefusedWithKeyValueAndRule(String line, String words) throws Exception {
    String text = line.startsWith("id") ? NEEDED.replace("id: snapt-1", line) : NEEDED + line;
    Path bad = file(text + "\n" + REPORTING);
    assertThatThrownBy(() -> ConfigurationFile.load(bad, SnaptConfiguration.class))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining(words.strip());
    assertThat(SnaptCommand.run("check", "--config", bad.toString())).isEqualTo(78);
    assertThat(SnaptCommand.run("run", "--config", bad.toString())).isEqualTo(78);
  }

  /// Returns the standard error of a command, followed by its exit code.
  private static String said(String... command) {
    PrintStream err = System.err;
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
    try {
      int code = SnaptCommand.run(command);
      return said.toString(StandardCharsets.UTF_8) + code;
    } finally {
      System.setErr(err);
    }
  }

  private static String printed(String... command) {
    PrintStream out = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try {
      assertThat(SnaptCommand.run(command)).isZero();
    } finally {
      System.setOut(out);
    }
    return printed.toString(StandardCharsets.UTF_8);
  }

  @Test
  void checkReadsTheKeysAndCertificatesToo() throws Exception {
    TlsSettings tls = new TestAuthority(folder.resolve("authority")).issue("snapt-1");
    Path key = folder.resolve("report.pem");
    Ed25519.writePrivate(key, Ed25519.generate().getPrivate());
    String right =
        "id: snapt-1\ntls: {certificate: %s, private-key: %s, trust: %s}\n"
                .formatted(tls.certificate(), tls.privateKey(), tls.trust())
            + "reporting: {bridge-host: bridge.test, report-key: %s}\n".formatted(key);
    String config = file(right).toString();
    assertThat(said("check", "--config", config))
        .as("its certificate ends tomorrow")
        .startsWith("warning: tls.certificate: " + tls.certificate())
        .endsWith("0");
    file(right.replace(key.toString(), "/nowhere/report.pem"));
    assertThat(said("check", "--config", config)).contains("/nowhere/report.pem").endsWith("78");
    file(right.replace(key.toString(), tls.privateKey().toString()));
    assertThat(said("check", "--config", config))
        .contains("must hold an Ed25519 key")
        .endsWith("78");
    file(right.replace(tls.trust().toString(), "/nowhere/ca.pem"));
    assertThat(said("check", "--config", config)).contains("/nowhere/ca.pem").endsWith("78");
    file(right.replace(tls.privateKey().toString(), key.toString()));
    assertThat(said("check", "--config", config)).contains("is not the key of").endsWith("78");
    for (String verb : new String[] {"check", "run"}) {
      file(right.replace("id: snapt-1", "id: snapt-2"));
      assertThat(said(verb, "--config", config)).contains("must be 'snapt-2' as id").endsWith("78");
      file(right + "control: {host: relay.test}\n");
      assertThat(said(verb, "--config", config)).contains("(control.host)").endsWith("78");
    }
    Path again = folder.resolve("again.yml");
    file(right);
    String printed = printed("check", "--config", config);
    Files.writeString(again, printed);
    assertThat(printed("check", "--config", again.toString())).isEqualTo(printed);
  }

  @Test
  void keygenMakesAClosedFileAndPrintsThePublicKeyOfIt() throws Exception {
    Path key = folder.resolve("report.pem");
    PrintStream out = System.out;
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    System.setOut(new PrintStream(said, true, StandardCharsets.UTF_8));
    try {
      assertThat(SnaptCommand.run("keygen", key.toString())).isZero();
    } finally {
      System.setOut(out);
    }
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(key)))
        .isEqualTo("rw-------");
    byte[] raw = Ed25519.raw((EdECPublicKey) Ed25519.readPair(key).getPublic());
    assertThat(said.toString(StandardCharsets.UTF_8))
        .isEqualTo(
            "report-key: \"%s\" # of this SNAPT, for 'denarii snapts enrol' or billing's list snapts%n"
                .formatted(Base64.getEncoder().encodeToString(raw)));
    assertThat(SnaptCommand.run("keygen", key.toString())).as("never overwritten").isEqualTo(69);
  }

  @Test
  void statusOfASnaptThatDoesNotRunIsUnavailableAndAWrongCommandIsUsage() {
    String socket = folder.resolve("none.sock").toString();
    assertThat(SnaptCommand.run("status", "--socket", socket)).isEqualTo(69);
    assertThat(said("status")).contains("/run/viaduct/snapt.sock").endsWith("69");
    assertThat(SnaptCommand.run("fly")).isEqualTo(64);
  }

  @Test
  void theReadmeListsEveryKeyAndNoOther() throws Exception {
    SnaptConfiguration configuration =
        ConfigurationFile.load(file(NEEDED + REPORTING), SnaptConfiguration.class);
    List<String> keys = new ArrayList<>();
    List<String> path = new ArrayList<>();
    for (String line : EffectiveConfiguration.of(configuration).lines().toList()) {
      if (line.strip().startsWith("- ")) {
        continue; // an item of a list
      }
      int depth = (line.length() - line.stripLeading().length()) / 2;
      path.subList(depth, path.size()).clear();
      keys.remove(String.join(".", path)); // it is a section
      path.add(line.strip().substring(0, line.strip().indexOf(':')));
      keys.add(String.join(".", path));
    }
    List<String> listed = new ArrayList<>();
    String readme = Files.readString(Path.of("README.md"));
    Matcher rows =
        Pattern.compile("(?m)^\\| `([a-z0-9.-]+)` \\|")
            .matcher(
                readme.substring(readme.indexOf("## Configuration"), readme.indexOf("## Reload")));
    while (rows.find()) {
      listed.add(rows.group(1));
    }
    assertThat(listed).containsExactlyElementsOf(keys);
  }
}
