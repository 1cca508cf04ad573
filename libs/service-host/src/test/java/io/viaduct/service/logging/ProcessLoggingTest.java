package io.viaduct.service.logging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.viaduct.service.configuration.ConfigurationFile;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ProcessLoggingTest {
  record Process(LoggingSettings logging) {}

  private final PrintStream console = System.out;

  @AfterEach
  void restore() {
    System.setOut(console);
    ProcessLogging.configure(
        new LoggingSettings(LoggingSettings.Format.TEXT, LoggingSettings.Level.WARN));
  }

  private List<String> log(LoggingSettings settings, Runnable body) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    ProcessLogging.configure(settings);
    body.run();
    System.setOut(console);
    return bytes.toString(StandardCharsets.UTF_8).lines().toList();
  }

  private static LoggingSettings settings(
      LoggingSettings.Format format, LoggingSettings.Level level) {
    return new LoggingSettings(format, level);
  }

  @Test
  void jsonIsOneObjectPerEventWithTheTimeOfRfc3339() {
    List<String> lines =
        log(
            settings(LoggingSettings.Format.JSON, LoggingSettings.Level.INFO),
            () -> {
              MDC.put("session", "7");
              LoggerFactory.getLogger("a.B").info("said \"{}\"\nand more", "yes");
              MDC.clear();
              LoggerFactory.getLogger("a.B").error("broke", new IllegalStateException("why"));
              LoggerFactory.getLogger("a.B").debug("too fine");
            });
    assertThat(lines).hasSize(2);
    JsonNode first = JsonMapper.shared().readTree(lines.getFirst());
    assertThat(first.get("message").asString()).isEqualTo("said \"yes\"\nand more");
    assertThat(first.get("level").asString()).isEqualTo("INFO");
    assertThat(first.get("logger").asString()).isEqualTo("a.B");
    assertThat(first.get("context").get("session").asString()).isEqualTo("7");
    assertThat(OffsetDateTime.parse(first.get("time").asString())).isNotNull();
    JsonNode second = JsonMapper.shared().readTree(lines.getLast());
    assertThat(second.get("stack").asString()).contains("IllegalStateException: why");
    assertThat(second.has("context")).isFalse();
  }

  @Test
  void aLineBreakInAMessageCannotForgeALineOfText() {
    List<String> lines =
        log(
            settings(LoggingSettings.Format.TEXT, LoggingSettings.Level.WARN),
            () -> {
              LoggerFactory.getLogger("a.B").info("too fine");
              LoggerFactory.getLogger("a.B").warn("user {}", "x\r\n2026-01-01 ERROR forged");
            });
    assertThat(lines).hasSize(1);
    assertThat(lines.getFirst()).contains("WARN").contains("B - user x\\n2026-01-01 ERROR forged");
  }

  @Test
  void whatJavaUtilLoggingSaysHasTheFormOfTheOthers() {
    List<String> lines =
        log(
            settings(LoggingSettings.Format.TEXT, LoggingSettings.Level.INFO),
            () -> java.util.logging.Logger.getLogger("org.apache.X").info("Starting [Tomcat]"));
    assertThat(lines).hasSize(1);
    assertThat(lines.getFirst()).contains("INFO").endsWith("X - Starting [Tomcat]");
  }

  @Test
  void theConfigurationNamesFormatAndLevel(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("x"), "logging: {format: json, level: debug}");
    assertThat(ConfigurationFile.load(file, Process.class).logging())
        .isEqualTo(settings(LoggingSettings.Format.JSON, LoggingSettings.Level.DEBUG));
    Path bad = Files.writeString(folder.resolve("y"), "logging: {format: xml, level: debug}");
    assertThatThrownBy(() -> ConfigurationFile.load(bad, Process.class))
        .hasMessageContaining("logging.format")
        .hasMessageContaining("one of text, json, got 'xml'");
  }
}
