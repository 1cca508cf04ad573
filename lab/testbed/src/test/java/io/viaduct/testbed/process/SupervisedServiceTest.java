package io.viaduct.testbed.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SupervisedServiceTest implements SupervisedService.Listener {
  @TempDir private Path directory;
  private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
  private final List<SupervisedService> started = new java.util.ArrayList<>();

  private SupervisedService start(String script) {
    var service =
        SupervisedService.start(
            () -> ServiceProcess.start("service", List.of("sh", "-c", script), directory),
            new RestartLimit(2, Duration.ofMinutes(1)),
            this,
            () -> 0);
    started.add(service);
    return service;
  }

  private String heard() throws InterruptedException {
    String words = heard.poll(10, TimeUnit.SECONDS);
    return words == null ? "nothing within 10 s" : words;
  }

  @AfterEach
  void stop() {
    started.forEach(SupervisedService::stop);
  }

  @Override
  public void restarted(String service, String how, int times) {
    heard.add(service + " " + how + " " + times);
  }

  @Override
  public void gaveUp(String service, String why) {
    heard.add(why);
  }

  @Test
  void aServiceKilledFromOutsideIsNamedAndRunsAgainAtOnce() throws Exception {
    SupervisedService service = start("exec sleep 600");
    long first = service.process().id();
    ProcessHandle.of(first).orElseThrow().destroyForcibly();
    assertThat(heard()).isEqualTo("service ended by SIGKILL 1");
    assertThat(service.process().id()).isNotEqualTo(first);
    assertThat(service.process().isAlive()).isTrue();
    assertThat(service.restarts()).isEqualTo(1);
  }

  @Test
  void aServiceThatCannotRunIsGivenUpWithTheEndOfItsLog() throws Exception {
    SupervisedService service = start("echo no such table; exit 3");
    assertThat(heard()).isEqualTo("service ended with exit code 3 1");
    assertThat(heard()).isEqualTo("service ended with exit code 3 2");
    assertThat(heard())
        .contains("exit code 3 after 2 restarts in 60 s", "no such table")
        .isEqualTo(service.failure());
  }

  @Test
  void aRefusedConfigurationIsNotTriedTwice() throws Exception {
    start("echo port must be in 1..65535; exit 78");
    assertThat(heard()).contains("exit code 78; the end of its log", "port must be");
  }

  @Test
  void aServiceThatIsStoppedStaysStopped() throws Exception {
    SupervisedService service = start("exec sleep 600");
    assertThat(service.stop()).isEqualTo(143);
    assertThat(service.process().isAlive()).isFalse();
    assertThat(heard.poll(200, TimeUnit.MILLISECONDS)).isNull();
  }

  @Test
  void theLogOfARunIsWhatThatRunWrote() throws Exception {
    Files.writeString(directory.resolve("service.log"), "of the run before\n");
    ServiceProcess run =
        ServiceProcess.start("service", List.of("sh", "-c", "echo of this run"), directory);
    assertThat(run.awaitEnd()).isZero();
    assertThat(run.lastLines(9)).isEqualTo("of this run");
  }
}
