package io.viaduct.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.service.logging.LoggingSettings;
import io.viaduct.service.logging.LoggingSettings.Format;
import io.viaduct.service.logging.LoggingSettings.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class ServiceLoggingTest {
  @AfterEach
  void restore() {
    ServiceLogging.configure(new LoggingSettings(Format.TEXT, Level.WARN));
  }

  private static boolean isInfo(String logger) {
    return LoggerFactory.getLogger(logger).isInfoEnabled();
  }

  @Test
  void librariesKeepTheirStartToThemselvesAtInfoAndTellItAtDebug() {
    ServiceLogging.configure(new LoggingSettings(Format.TEXT, Level.INFO));
    assertThat(isInfo("io.viaduct.bridge.BridgeCommand")).isTrue();
    assertThat(isInfo("org.apache.coyote.http11.Http11NioProtocol")).isFalse();
    assertThat(isInfo("org.springframework.boot.tomcat.TomcatWebServer")).isFalse();
    ServiceLogging.level(Level.DEBUG);
    assertThat(isInfo("org.apache.coyote.http11.Http11NioProtocol")).isTrue();
    assertThat(
            LoggerFactory.getLogger("org.springframework.web.servlet.PageNotFound")
                .isErrorEnabled())
        .isFalse();
  }
}
