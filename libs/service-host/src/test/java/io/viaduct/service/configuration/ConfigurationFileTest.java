package io.viaduct.service.configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigurationFileTest {
  record Relay(String name, Probe probe, List<String> pools) {}

  record Probe(Duration interval, int count) {
    Probe {
      if (count < 1) {
        throw new IllegalArgumentException("count must be at least 1, got " + count);
      }
    }
  }

  record Probes(Probe probe) {}

  record Lines(List<Line> lines) {}

  record Line(String name, Optional<Long> rate) {}

  record Guarded(Secret passwordFile) {}

  @TempDir Path folder;

  private Path file(String text) throws IOException {
    return Files.writeString(folder.resolve("x.yml"), text);
  }

  @Test
  void theOperatorsFileOverlaysTheDefaultsKeyByKey() throws Exception {
    Relay relay =
        ConfigurationFile.load(file("name: a\nprobe: {count: 3}\npools: [x]"), Relay.class);
    assertThat(relay).isEqualTo(new Relay("a", new Probe(Duration.ofMillis(200), 3), List.of("x")));
  }

  @Test
  void theDefaultsAloneAreEnoughWhereEveryKeyHasOne() {
    assertThatThrownBy(() -> ConfigurationFile.defaults(Relay.class))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("Relay.yml")
        .hasMessageContaining("name");
    assertThat(ConfigurationFile.defaults(Probes.class))
        .isEqualTo(new Probes(new Probe(Duration.ofMillis(200), 1)));
  }

  @Test
  void anUnknownKeyIsRefusedWithItsPathAndTheKnownOnes() throws Exception {
    Path bad = file("name: a\nprobe: {cuont: 3}\npools: []");
    assertThatThrownBy(() -> ConfigurationFile.load(bad, Relay.class))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("unknown key 'probe.cuont'")
        .hasMessageContaining("count, interval");
  }

  @Test
  void aBrokenRuleIsRefusedWithKeyAndRule() throws Exception {
    Path bad = file("name: a\nprobe: {count: 0}\npools: []");
    assertThatThrownBy(() -> ConfigurationFile.load(bad, Relay.class))
        .hasMessageContaining("key 'probe'")
        .hasMessageContaining("count must be at least 1, got 0");
  }

  @Test
  void aDurationWithoutUnitIsRefusedWithKeyAndValue() throws Exception {
    Path bad = file("name: a\nprobe: {interval: 7}\npools: []");
    assertThatThrownBy(() -> ConfigurationFile.load(bad, Relay.class))
        .hasMessageContaining("key 'probe.interval'")
        .hasMessageContaining("value '7'")
        .hasMessageContaining("200ms");
  }

  @Test
  void aMissingKeyIsRefusedByName() throws Exception {
    Path bad = file("probe: {count: 3}\npools: []");
    assertThatThrownBy(() -> ConfigurationFile.load(bad, Relay.class))
        .hasMessageEndingWith("key 'name': must be given, it has no default");
  }

  @Test
  void anOptionalKeyOfALineOfAListMayBeLeftOut() throws Exception {
    assertThat(
            ConfigurationFile.load(
                file("lines: [{name: a}, {name: b, rate: 5}, {name: c, rate: null}]"), Lines.class))
        .isEqualTo(
            new Lines(
                List.of(
                    new Line("a", Optional.empty()),
                    new Line("b", Optional.of(5L)),
                    new Line("c", Optional.empty()))));
  }

  @Test
  void whatIsNotYamlIsRefusedInOneLine() throws Exception {
    Path bad = file("pools: [\n");
    assertThatThrownBy(() -> ConfigurationFile.load(bad, Relay.class))
        .hasMessageContaining("is not YAML")
        .hasMessageNotContaining("\n");
  }

  @Test
  void aSecretIsReadFromAPrivateFileAndNeverPrinted() throws Exception {
    Path secret = Files.writeString(folder.resolve("password"), "hunter2\n");
    Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
    Guarded guarded = ConfigurationFile.load(file("password-file: " + secret), Guarded.class);
    assertThat(guarded.passwordFile().reveal()).isEqualTo("hunter2");
    assertThat(guarded.toString()).doesNotContain("hunter2");
    Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-r--r--"));
    Path open = file("password-file: " + secret);
    assertThatThrownBy(() -> ConfigurationFile.load(open, Guarded.class))
        .hasMessageContaining("chmod 600");
  }

  record Named(
      Path key,
      List<Path> others,
      Optional<Path> maybe,
      @FileName String text,
      @FileName String none,
      String word,
      Map<String, Inner> inner) {}

  record Inner(Path deep) {}

  @Test
  void namesOfFilesAreRelativeToTheFileThatNamesThem() throws Exception {
    Named named =
        ConfigurationFile.load(
            file(
                """
                key: a.key
                others: [b.key, /abs/c.key, ../d.key]
                maybe: sub/e.key
                text: data
                none: ""
                word: data
                inner: {x: {deep: f.key}}
                """),
            Named.class);
    assertThat(named)
        .isEqualTo(
            new Named(
                folder.resolve("a.key"),
                List.of(
                    folder.resolve("b.key"),
                    Path.of("/abs/c.key"),
                    folder.getParent().resolve("d.key")),
                Optional.of(folder.resolve("sub/e.key")),
                folder.resolve("data").toString(),
                "",
                "data",
                Map.of("x", new Inner(folder.resolve("f.key")))));
  }

  @Test
  void aSecretLiesBesideTheFileThatNamesIt() throws Exception {
    Path secret = Files.writeString(folder.resolve("s"), "word\n");
    Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
    Guarded guarded = ConfigurationFile.load(file("password-file: s"), Guarded.class);
    assertThat(guarded.passwordFile().reveal()).isEqualTo("word");
  }
}
