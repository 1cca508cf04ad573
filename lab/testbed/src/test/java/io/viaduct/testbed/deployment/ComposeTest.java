package io.viaduct.testbed.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.viaduct.testbed.pki.ReportKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/// Compares the compose file with the demonstration's configuration. No container engine is needed.
class ComposeTest {
  private static final Path DOCKER = Path.of(System.getProperty("viaduct.root")).resolve("docker");
  private static final YAMLMapper YAML = new YAMLMapper();

  @TempDir private Path directory;
  private final Map<String, ServicePlan> plans = new LinkedHashMap<>();
  private Map<?, ?> services = Map.of();

  @BeforeEach
  void read() throws Exception {
    var keys = List.of(new ReportKey(directory, "one"), new ReportKey(directory, "two"));
    var all = new Plans(directory, keys, Duration.ofSeconds(5));
    for (ServicePlan plan :
        List.of(
            all.billing(2), all.bridge(), all.webgui(), all.snapt(1), all.snapt(2), all.agent())) {
      plans.put(plan.name(), plan);
    }
    var load = new Load(LoadSettings.builder().build());
    var file = (Map<?, ?>) load.loadFromString(Files.readString(DOCKER.resolve("compose.yml")));
    services = (Map<?, ?>) file.get("services");
  }

  @Test
  void itStartsWhatTheDemoStartsPostgresAndABrokerOnRequest() {
    var expected = new TreeSet<Object>(plans.keySet());
    expected.add("postgres");
    for (String optional : List.of("kafka", "kafka-topics")) {
      assertThat(((Map<?, ?>) services.get(optional)).get("profiles")).isEqualTo(List.of("kafka"));
      expected.add(optional);
    }
    assertThat(new TreeSet<Object>(services.keySet())).isEqualTo(expected);
  }

  @Test
  void everyServiceHasAnImageOfTheSameModuleAndVerb() throws IOException {
    assertThat(Files.readString(DOCKER.resolve("Dockerfile")))
        .contains("-pl \"$MODULE\" -am", "CMD [\"run\", \"--config\"", "HEALTHCHECK", "10001");
    for (ServicePlan plan : plans.values()) {
      var service = (Map<?, ?>) services.get(plan.name());
      assertThat(String.valueOf(ComposeInstallation.value(service, "build")))
          .contains("dockerfile=docker/Dockerfile", "MODULE=" + plan.module() + ",");
      Object command = ComposeInstallation.value(service, "command");
      assertThat(command == null ? "run" : ((List<?>) command).getFirst()).isEqualTo(plan.verb());
    }
  }

  @Test
  void everyPortOfTheDemosConfigurationIsOpenInItsService() {
    for (ServicePlan plan : plans.values()) {
      JsonNode configuration = YAML.readTree(plan.configuration());
      for (String section : List.of("rest", "grpc", "http", "sip", "control")) {
        JsonNode port = configuration.path(section).path("port");
        if (port.isInt()) {
          assertThat(openPorts(plan.name())).as(plan.name() + "." + section).contains(port.asInt());
        }
      }
    }
  }

  @Test
  void everyContainerGetsTheFilesThatItsConfigurationNamesAndNoOther() throws IOException {
    Path installation = ComposeInstallation.make(directory);
    for (String name : plans.keySet()) {
      String own = name.equals("cnapt") ? "users/alice/device" : name;
      Map<String, String> mounted = ComposeInstallation.mounts(DOCKER, name);
      String configuration = own + "/" + name + ".yml";
      assertThat(mounted.remove(configuration)).as(name).isEqualTo("/etc/viaduct/service.yml");
      var named = new TreeMap<String, String>();
      String text = Files.readString(installation.resolve(configuration));
      values(YAML.readTree(text))
          .filter(value -> Files.isRegularFile(installation.resolve(own).resolve(value)))
          .forEach(value -> named.put(own + "/" + value, "/etc/viaduct/" + value));
      assertThat(named).as(name).isNotEmpty();
      assertThat(mounted).as(name).isEqualTo(named);
    }
  }

  @Test
  void noContainerGetsADirectoryOrTheAuthoritysKey() throws IOException {
    Path installation = ComposeInstallation.make(directory);
    String key = Files.readString(installation.resolve("authority/ca.key"));
    for (Object name : services.keySet()) {
      for (String file : ComposeInstallation.mounts(DOCKER, name.toString()).keySet()) {
        assertThat(installation.resolve(file)).as(name.toString()).isRegularFile();
        assertThat(Files.readString(installation.resolve(file))).as(file).isNotEqualTo(key);
      }
    }
  }

  @Test
  void onlyWhatMovesPacketsHasCapabilities() {
    Set<Object> privileged =
        services.keySet().stream()
            .filter(name ->
                ComposeInstallation.value((Map<?, ?>) services.get(name), "cap_add") != null)
            .collect(Collectors.toSet());
    assertThat(privileged).containsExactlyInAnyOrder("snapt-1", "snapt-2", "cnapt");
  }

  @Test
  void aVariableOfEveryServiceOverridesAKeyOfItsFile() {
    for (String name : plans.keySet()) {
      var service = (Map<?, ?>) services.get(name);
      assertThat(ComposeInstallation.value(service, "environment"))
          .as(name)
          .isEqualTo(Map.of("VIADUCT_CONFIG_LOGGING__FORMAT", "json"));
    }
  }

  @Test
  void theComposeCommandAcceptsIt() throws Exception {
    assumeTrue(ends("docker", "compose", "version"), "the docker CLI here has no compose plugin");
    assertThat(
            ends(
                "docker",
                "compose",
                "-f",
                DOCKER.resolve("compose.yml").toString(),
                "config",
                "-q"))
        .isTrue();
  }

  private static boolean ends(String... words) throws InterruptedException {
    try {
      return new ProcessBuilder(words).redirectErrorStream(true).start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  private Set<Integer> openPorts(String name) {
    var open = new TreeSet<Integer>();
    for (String key : List.of("ports", "expose")) {
      if (ComposeInstallation.value((Map<?, ?>) services.get(name), key) instanceof List<?> list) {
        for (Object each : list) {
          String text = each.toString().replaceFirst("/.*", "");
          open.add(Integer.valueOf(text.substring(text.lastIndexOf(':') + 1)));
        }
      }
    }
    return open;
  }

  /// Returns every text in a tree.
  private static Stream<String> values(JsonNode tree) {
    return tree.isString()
        ? Stream.of(tree.asString())
        : tree.valueStream().flatMap(ComposeTest::values);
  }
}
