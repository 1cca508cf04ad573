package io.viaduct.service.configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigurationEnvironmentTest {
  record Process(
      String name,
      Rest rest,
      List<String> algorithms,
      Map<String, String> owners,
      Path log,
      Optional<Long> lineRate) {}

  record Rest(int port, Duration longestWait) {
    Rest {
      if (port > 65_535) {
        throw new IllegalArgumentException("port must be 0..65535, got " + port);
      }
    }
  }

  private static final String FILE =
      """
      name: a
      rest: {port: 1, longest-wait: 5s}
      algorithms: [MD5]
      owners: {one: acme}
      log: log
      """;

  @TempDir Path folder;

  private Process load(Map<String, String> environment) throws IOException {
    return ConfigurationFile.load(file(), Process.class, environment);
  }

  private Path file() throws IOException {
    return Files.writeString(folder.resolve("x.yml"), FILE);
  }

  @Test
  void aVariableGoesBeforeTheFile() throws Exception {
    Process process =
        load(
            Map.of(
                "VIADUCT_CONFIG_REST__PORT", "8081",
                "VIADUCT_CONFIG_REST__LONGEST_WAIT", "200ms",
                "VIADUCT_CONFIG_LINE_RATE", "7",
                "HOME", "/root"));
    assertThat(process.rest()).isEqualTo(new Rest(8081, Duration.ofMillis(200)));
    assertThat(process.lineRate()).contains(7L);
    assertThat(process.name()).isEqualTo("a");
  }

  @Test
  void aValueIsYamlAListIsExchangedAndAMappingIsAddedTo() throws Exception {
    Process process =
        load(
            Map.of(
                "VIADUCT_CONFIG_ALGORITHMS", "[SHA-256, MD5]",
                "VIADUCT_CONFIG_OWNERS", "{snapt_2: beacon}"));
    assertThat(process.algorithms()).containsExactly("SHA-256", "MD5");
    assertThat(process.owners()).isEqualTo(Map.of("one", "acme", "snapt_2", "beacon"));
  }

  @Test
  void aVariableOfAKeyGoesBeforeThatOfItsMapping() throws Exception {
    Process process =
        load(
            Map.of(
                "VIADUCT_CONFIG_REST", "{port: 2, longest-wait: 1s}",
                "VIADUCT_CONFIG_REST__PORT", "3"));
    assertThat(process.rest()).isEqualTo(new Rest(3, Duration.ofSeconds(1)));
  }

  @Test
  void aRelativePathOfAVariableIsRelativeToTheFile() throws Exception {
    assertThat(load(Map.of("VIADUCT_CONFIG_LOG", "other/log")).log())
        .isEqualTo(folder.resolve("other/log"));
  }

  @Test
  void anUnknownKeyIsRefusedWithTheVariableAndTheNearestOnes() {
    assertThatThrownBy(() -> load(Map.of("VIADUCT_CONFIG_REST__PROT", "8081")))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageStartingWith(
            "environment variable VIADUCT_CONFIG_REST__PROT: unknown key 'rest.prot'; nearest:"
                + " VIADUCT_CONFIG_REST__PORT,");
  }

  @Test
  void aBadValueIsRefusedWithKeyValueRuleAndVariable() {
    assertThatThrownBy(() -> load(Map.of("VIADUCT_CONFIG_REST__PORT", "many")))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("key 'rest.port': value 'many': must be a whole number")
        .hasMessageEndingWith("(given by environment variable VIADUCT_CONFIG_REST__PORT)");
    assertThatThrownBy(() -> load(Map.of("VIADUCT_CONFIG_REST__PORT", "70000")))
        .hasMessageContaining("port must be 0..65535, got 70000")
        .hasMessageContaining("VIADUCT_CONFIG_REST__PORT");
  }

  @Test
  void aValueThatIsNotYamlIsRefusedWithoutBeingShown() {
    assertThatThrownBy(() -> load(Map.of("VIADUCT_CONFIG_NAME", "[do-not-show-me")))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("VIADUCT_CONFIG_NAME: must be YAML")
        .hasMessageNotContaining("do-not-show-me");
  }

  @Test
  void theOutputOfCheckNamesTheVariablesAndIsAValidConfiguration() throws Exception {
    Map<String, String> environment = Map.of("VIADUCT_CONFIG_REST__PORT", "8081");
    String shown =
        new ConfigurationSource<>(file(), Process.class, environment, _ -> {}).effective();
    assertThat(shown)
        .startsWith("# rest.port: from the environment, VIADUCT_CONFIG_REST__PORT\n")
        .contains("  port: 8081\n");
    Path again = Files.writeString(folder.resolve("again.yml"), shown);
    assertThat(ConfigurationFile.load(again, Process.class)).isEqualTo(load(environment));
    assertThat(new ConfigurationSource<>(again, Process.class, environment, _ -> {}).effective())
        .isEqualTo(shown);
  }
}
