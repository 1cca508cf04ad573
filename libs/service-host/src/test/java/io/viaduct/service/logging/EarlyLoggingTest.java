package io.viaduct.service.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.util.ContextInitializer;
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
      EarlyLogging.onlyWarnings(context);
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

  @Test
  void aFileOnTheClassPathGoesFirst() throws Exception {
    var context = new LoggerContext();
    new ContextInitializer(context).autoConfig();
    Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
    assertThat(root.getAppender("console")).as("appender of logback-test.xml").isNotNull();
    assertThat(root.getAppender("System.err")).isNull();
    context.stop();
  }
}
