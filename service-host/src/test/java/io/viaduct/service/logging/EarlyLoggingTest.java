package io.viaduct.service.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

class EarlyLoggingTest {
  @Test
  void beforeTheConfigurationIsReadOnlyWarningsGoToStandardError() {
    var bytes = new ByteArrayOutputStream();
    PrintStream console = System.err;
    var context = new LoggerContext();
    context.setMDCAdapter(new LogbackMDCAdapter());
    try {
      System.setErr(new PrintStream(bytes, true, StandardCharsets.UTF_8));
      var early = new EarlyLogging();
      early.setContext(context);
      assertThat(early.configure(context))
          .isEqualTo(Configurator.ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY);
      context.getLogger("a.B").info("too fine");
      context.getLogger("a.B").warn("wrong");
    } finally {
      System.setErr(console);
      context.stop();
    }
    assertThat(bytes.toString(StandardCharsets.UTF_8).lines())
        .singleElement()
        .asString()
        .matches("\\S+Z WARN  \\[.*] B - wrong");
  }

  @Test
  void logbackFindsItAsAService() {
    assertThat(ServiceLoader.load(Configurator.class))
        .anySatisfy(found -> assertThat(found).isInstanceOf(EarlyLogging.class));
  }
}
