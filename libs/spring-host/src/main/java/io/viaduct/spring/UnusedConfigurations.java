package io.viaduct.spring;

import java.util.List;

/// Names auto-configurations of Spring Boot that no service uses: endpoints that are not exposed,
/// JMX, proxies, uploads. Reading their classes takes a part of each start.
final class UnusedConfigurations {
  private static final List<String> OF_ACTUATOR =
      List.of(
          "audit.AuditAutoConfiguration",
          "audit.AuditEventsEndpointAutoConfiguration",
          "beans.BeansEndpointAutoConfiguration",
          "condition.ConditionsReportEndpointAutoConfiguration",
          "context.ShutdownEndpointAutoConfiguration",
          "context.properties.ConfigurationPropertiesReportEndpointAutoConfiguration",
          "endpoint.jmx.JmxEndpointAutoConfiguration",
          "env.EnvironmentEndpointAutoConfiguration",
          "info.InfoContributorAutoConfiguration",
          "info.InfoEndpointAutoConfiguration",
          "logging.LogFileWebEndpointAutoConfiguration",
          "logging.LoggersEndpointAutoConfiguration",
          "management.HeapDumpWebEndpointAutoConfiguration",
          "management.ThreadDumpEndpointAutoConfiguration",
          "sbom.SbomEndpointAutoConfiguration",
          "scheduling.ScheduledTasksEndpointAutoConfiguration",
          "startup.StartupEndpointAutoConfiguration",
          "web.exchanges.HttpExchangesEndpointAutoConfiguration",
          "web.mappings.MappingsEndpointAutoConfiguration");

  private static final List<String> OF_BOOT =
      List.of(
          "autoconfigure.admin.SpringApplicationAdminJmxAutoConfiguration",
          "autoconfigure.aop.AopAutoConfiguration",
          "autoconfigure.info.ProjectInfoAutoConfiguration",
          "autoconfigure.jmx.JmxAutoConfiguration",
          "health.autoconfigure.application.DiskSpaceHealthContributorAutoConfiguration",
          "health.autoconfigure.application.SslHealthContributorAutoConfiguration",
          "micrometer.metrics.autoconfigure.MetricsAspectsAutoConfiguration",
          "micrometer.metrics.autoconfigure.MetricsEndpointAutoConfiguration",
          "micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration",
          "micrometer.metrics.autoconfigure.ssl.SslMetricsAutoConfiguration",
          "micrometer.observation.autoconfigure.ScheduledTasksObservationAutoConfiguration",
          // would add a user with a password of its own
          "security.autoconfigure.UserDetailsServiceAutoConfiguration",
          "security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration",
          "servlet.autoconfigure.MultipartAutoConfiguration",
          "servlet.autoconfigure.actuate.web.exchanges.ServletHttpExchangesAutoConfiguration",
          "servlet.autoconfigure.actuate.web.mappings.ServletMappingsAutoConfiguration",
          "webmvc.autoconfigure.actuate.web.mappings.WebMvcMappingsAutoConfiguration");

  private UnusedConfigurations() {}

  /// Returns the value of Spring's property `spring.autoconfigure.exclude`.
  static String names() {
    StringBuilder names = new StringBuilder();
    OF_ACTUATOR.forEach(name ->
        names.append("org.springframework.boot.actuate.autoconfigure.").append(name).append(','));
    OF_BOOT.forEach(name -> names.append("org.springframework.boot.").append(name).append(','));
    return names.substring(0, names.length() - 1);
  }
}
