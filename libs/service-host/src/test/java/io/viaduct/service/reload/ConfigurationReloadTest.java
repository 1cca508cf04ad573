package io.viaduct.service.reload;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.viaduct.service.configuration.ConfigurationException;
import io.viaduct.service.configuration.ConfigurationKeys;
import io.viaduct.service.configuration.ConfigurationSource;
import io.viaduct.service.configuration.Secret;
import io.viaduct.service.reload.ConfigurationReload.Outcome;
import io.viaduct.service.tls.TestAuthority;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class ConfigurationReloadTest {
  record Process(String level, Rest rest, Secret tokenFile, Path table, List<String> names) {}

  record Rest(int port) {}

  @TempDir Path folder;
  private final Logger logger = (Logger) LoggerFactory.getLogger(ConfigurationReload.class);
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final List<String> levels = new ArrayList<>();
  private Instant now = Instant.parse("2026-11-23T20:00:00Z");
  private Path file;
  private ConfigurationReload<Process> reload;

  @BeforeEach
  void start() throws Exception {
    lines.start();
    logger.setLevel(ch.qos.logback.classic.Level.INFO);
    logger.addAppender(lines);
    TestAuthority.secret(folder.resolve("token"), "do-not-show-me");
    Files.writeString(folder.resolve("table"), "1");
    file = folder.resolve("process.yml");
    write("info", 1);
    ConfigurationSource<Process> source =
        new ConfigurationSource<>(
            file,
            Process.class,
            Map.of(),
            process -> {
              if (process.level().equals("refused")) {
                throw new ConfigurationException(file + ": level must be another");
              }
            });
    reload =
        new ConfigurationReload<>(
            source,
            ConfigurationKeys.of(source.load()),
            List.of(
                new Reloading<>(List.of("level"), next -> () -> levels.add(next.level())),
                new Reloading<>(
                    List.of("table"),
                    next -> read(next.table()).equals("2") ? () -> {} : Reloading.AT_NEXT_START)),
            registry,
            () -> now);
  }

  @AfterEach
  void stop() {
    logger.detachAppender(lines);
    logger.setLevel(null);
  }

  private void write(String level, int port) throws Exception {
    Files.writeString(
        file,
        "level: %s\nrest: {port: %d}\ntoken-file: token\ntable: table\nnames: [a, b]\n"
            .formatted(level, port));
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private List<String> said() {
    return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  private double count(String outcome) {
    return registry.get("viaduct_configuration_reloads").tag("outcome", outcome).counter().count();
  }

  @Test
  void aChangedKeyThatIsReloadedIsAppliedAndAnotherWaitsForTheNextStart() throws Exception {
    write("debug", 2);
    assertThat(reload.reload()).isEqualTo(Outcome.APPLIED);
    assertThat(levels).containsExactly("debug");
    assertThat(said())
        .containsExactly(
            "configuration, level: info -> debug: applied",
            "configuration, rest.port: 1 -> 2: takes effect at the next start");
    assertThat(count("applied")).isEqualTo(1);
  }

  @Test
  void ofAListOnlyTheItemsThatChangedAreTold() throws Exception {
    Files.writeString(file, Files.readString(file).replace("[a, b]", "[b, c]"));
    reload.reload();
    assertThat(said())
        .containsExactly("configuration, names: - a, + c: takes effect at the next start");
  }

  @Test
  void anInvalidFileIsOneLineAndChangesNothing() throws Exception {
    Files.writeString(
        file, "level: debug\nrest: {prot: 2}\ntoken-file: token\ntable: table\nnames: []\n");
    assertThat(reload.reload()).isEqualTo(Outcome.REFUSED);
    write("refused", 1);
    assertThat(reload.reload()).isEqualTo(Outcome.REFUSED);
    assertThat(levels).isEmpty();
    assertThat(said()).hasSize(2);
    assertThat(said().getFirst())
        .contains(file.toString(), "unknown key 'rest.prot'", "the former one stays in use");
    assertThat(said().getLast()).contains("level must be another");
    assertThat(count("refused")).isEqualTo(2);
  }

  @Test
  void aRefusedReloadIsComparedWithTheConfigurationInUseLater() throws Exception {
    write("refused", 1);
    reload.reload();
    write("info", 1);
    assertThat(reload.reload()).isEqualTo(Outcome.UNCHANGED);
    assertThat(count("unchanged")).isEqualTo(1);
    assertThat(said().getLast()).isEqualTo("configuration read again: nothing has changed");
  }

  @Test
  void theContentOfAFileIsAChangeAndASecretIsNotShown() throws Exception {
    TestAuthority.secret(folder.resolve("token"), "nor-me");
    assertThat(reload.reload()).isEqualTo(Outcome.APPLIED);
    assertThat(said())
        .containsExactly(
            "configuration, token-file: the content of %s is new: takes effect at the next start"
                .formatted(folder.resolve("token")));
  }

  @Test
  void aPartDecidesWhetherItsValueNeedsAStart() throws Exception {
    Files.writeString(folder.resolve("table"), "3");
    reload.reload();
    Files.writeString(folder.resolve("table"), "2");
    reload.reload();
    assertThat(said().getFirst()).endsWith("takes effect at the next start");
    assertThat(said().getLast()).endsWith("applied");
  }

  @Test
  void theTimeOfTheLastGoodReadingIsShown() throws Exception {
    now = now.plusSeconds(60);
    write("refused", 1);
    reload.reload();
    assertThat(timestamp()).isEqualTo(now.getEpochSecond() - 60);
    write("info", 1);
    reload.reload();
    assertThat(timestamp()).isEqualTo(now.getEpochSecond());
  }

  private double timestamp() {
    return registry.get("viaduct_configuration_timestamp_seconds").gauge().value();
  }
}
