package io.viaduct.service.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.service.configuration.ConfigurationException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.BindException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.Command;

class ProcessCommandLineTest {
  @Command(name = "relay", subcommands = Run.class)
  static final class Relay {}

  @Command(name = "run")
  static final class Run implements Callable<Integer> {
    static Exception failure = new IOException();

    @Override
    public Integer call() throws Exception {
      throw failure;
    }
  }

  private final StringWriter err = new StringWriter();

  private int end(Exception failure) {
    Run.failure = failure;
    return execute("run");
  }

  private int execute(String... words) {
    return ProcessCommandLine.of(
            new Relay(), e -> e instanceof IOException ? ExitCode.UNAVAILABLE : ExitCode.DEFECT)
        .setErr(new PrintWriter(err))
        .execute(words);
  }

  private static OptionalInt started(Exception failure, String... words) {
    return ProcessCommandLine.start(
        "relay",
        "run",
        file -> {
          assertThat(file).isEqualTo(Path.of("x.yml"));
          throw failure;
        },
        e -> e instanceof IOException ? ExitCode.UNAVAILABLE : ExitCode.DEFECT,
        words);
  }

  @Test
  void theLineThatStartsAServiceEndsWithTheSameCodesWithoutPicocli() {
    String[] line = {"run", "--config", "x.yml"};
    assertThat(started(new ConfigurationException("x.yml: no"), line)).hasValue(78);
    assertThat(started(new IOException("no REST"), line)).hasValue(69);
    assertThat(started(new IllegalStateException("ours"), line)).hasValue(1);
    assertThat(
            ProcessCommandLine.start("relay", "run", _ -> ExitCode.OK, _ -> ExitCode.DEFECT, line))
        .hasValue(0);
  }

  @Test
  void anyOtherLineIsPicoclis() {
    var never = new IOException();
    assertThat(started(never, "run")).isEmpty();
    assertThat(started(never, "run", "--config=x.yml")).isEmpty();
    assertThat(started(never, "check", "--config", "x.yml")).isEmpty();
    assertThat(started(never, "run", "--config", "x.yml", "--help")).isEmpty();
  }

  @Test
  void aRefusedConfigurationIsOneLineAndCode78() {
    assertThat(end(new ConfigurationException("x.yml: key 'a' must be 1"))).isEqualTo(78);
    assertThat(err.toString()).isEqualToIgnoringNewLines("relay: x.yml: key 'a' must be 1");
  }

  @Test
  void aForeseenFailureNamesItsRootCause() {
    assertThat(end(new IOException("no REST", new BindException("port 1 is taken")))).isEqualTo(69);
    assertThat(err.toString()).isEqualToIgnoringNewLines("relay: no REST: port 1 is taken");
  }

  @Test
  void aDefectShowsItsStack() {
    assertThat(end(new IllegalStateException("ours"))).isEqualTo(1);
    assertThat(err.toString()).contains("IllegalStateException: ours").contains("\tat ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"fly", "run --no-such"})
  void wrongUsageIs64AndShowsTheRightOne(String words) {
    assertThat(execute(words.split(" "))).isEqualTo(64);
    assertThat(err.toString()).contains("Usage: relay");
  }

  @Test
  void aDirectoryThatMayNotBeWrittenIsASentenceAndNotItsPathAlone() {
    assertThat(end(new AccessDeniedException("/run/viaduct/cnapt.sock"))).isEqualTo(69);
    assertThat(err.toString())
        .contains("/run/viaduct/cnapt.sock may not be opened, made or changed by user '")
        .contains("change its owner or mode");
    assertThat(end(new FileSystemException("/var/lib/x", null, "Read-only file system")))
        .isEqualTo(69);
    assertThat(err.toString()).contains("/var/lib/x cannot be used: Read-only file system");
  }
}
