package io.viaduct.billing.rest;

import io.micrometer.core.instrument.MeterRegistry;
import io.swagger.v3.oas.models.Components;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.info.Info;
import io.swagger.v3.oas.models.security.SecurityRequirement;
import io.swagger.v3.oas.models.security.SecurityScheme;
import io.swagger.v3.oas.models.servers.Server;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.account.KnownBrowsers;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.account.LoginThrottle;
import io.viaduct.billing.audit.AuditLog;
import io.viaduct.billing.configuration.BillingConfiguration;
import io.viaduct.billing.credit.CreditRules;
import io.viaduct.billing.lifecycle.PeriodicTasks;
import io.viaduct.billing.lifecycle.Running;
import io.viaduct.billing.lifecycle.Stage;
import io.viaduct.billing.tariff.TariffBook;
import io.viaduct.service.throttle.TrustedProxies;
import io.viaduct.spring.rest.RestRules;
import java.time.InstantSource;
import java.util.List;
import org.apache.catalina.core.StandardHost;
import org.springdoc.core.utils.SpringDocUtils;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import tools.jackson.databind.json.JsonMapper;

/// Makes the parts of the HTTP interface: the resources by their names, all others by methods.
@Configuration(proxyBeanMethods = false)
@Import({
  RestRules.class,
  AccessSessionsResource.class,
  AccountCreditResource.class,
  AccountImportsResource.class,
  AccountsResource.class,
  AuditResource.class,
  CallsResource.class,
  CapCreditsResource.class,
  CardsResource.class,
  CdrFilesResource.class,
  ChargesResource.class,
  CreditsResource.class,
  ErasureResource.class,
  FeesResource.class,
  DeviceReportsResource.class,
  DiscrepanciesResource.class,
  DrainOrdersResource.class,
  HeldCreditResource.class,
  HeldReportsResource.class,
  IdentitiesResource.class,
  OperatorResource.class,
  OverviewResource.class,
  PasswordResetsResource.class,
  PaymentResource.class,
  Problems.class,
  RatingResource.class,
  ReceiptsResource.class,
  RelayRewardsResource.class,
  ReratingsResource.class,
  PaymentWebhookResource.class,
  RunningResource.class,
  SecondFactorResource.class,
  SessionsResource.class,
  StartedPaymentsResource.class,
  StatementsResource.class,
  SipAddressesResource.class,
  SnaptsResource.class,
  InvitationsResource.class,
  SurchargesResource.class,
  TariffDraftsResource.class,
  TariffTrialResource.class,
  TariffTrialRunsResource.class,
  TariffsResource.class,
  TokensResource.class,
  TopUpsResource.class,
  UnsignedResource.class,
  UsageResource.class,
  UsersResource.class,
  VouchersResource.class,
  WalletsResource.class,
  WebhooksResource.class
})
class RestParts {
  @Bean
  JsonMapper json() {
    return JsonBody.mapper();
  }

  @Bean
  AccountRows accountRows(JdbcClient jdbc, BillingConfiguration configuration) {
    return new AccountRows(jdbc, configuration);
  }

  @Bean
  OperatorOverview operatorOverview(JdbcClient jdbc) {
    return new OperatorOverview(jdbc);
  }

  @Bean
  BillSelection billSelection(Accounts accounts, TariffBook tariffs) {
    return new BillSelection(accounts, tariffs);
  }

  @Bean
  Charges charges(JdbcClient jdbc, TariffBook tariffs) {
    return new Charges(jdbc, tariffs);
  }

  @Bean
  RunningTraffic runningTraffic(JdbcClient jdbc) {
    return new RunningTraffic(jdbc);
  }

  @Bean
  AnsweredRequests answeredRequests(
      JdbcClient jdbc, TransactionTemplate transaction, InstantSource clock) {
    return new AnsweredRequests(jdbc, transaction, clock);
  }

  @Bean
  Usage usage(JdbcClient jdbc) {
    return new Usage(jdbc);
  }

  @Bean(destroyMethod = "") // eventStreams closes it, before the HTTP interface stops
  AccountEvents events(
      CreditRules credit, Charges charges, InstantSource clock, MeterRegistry registry) {
    return new AccountEvents(credit, charges, clock, registry);
  }

  @Bean(destroyMethod = "") // chargeBroadcastRuns closes it
  AccountBroadcast chargeBroadcast(AccountEvents events, JdbcClient jdbc, MeterRegistry registry) {
    return new AccountBroadcast(events, jdbc, registry);
  }

  @Bean
  Running<AccountBroadcast> chargeBroadcastRuns(AccountBroadcast broadcast) {
    return new Running<>(Stage.NOTIFICATIONS, broadcast::start);
  }

  @Bean
  Running<PeriodicTasks> answeredRequestsClock(
      AnsweredRequests answered, BillingConfiguration configuration, InstantSource clock) {
    return new Running<>(
        Stage.CREDIT,
        () -> {
          PeriodicTasks tasks = new PeriodicTasks("answered-requests");
          tasks.every(
              AnsweredRequests.PERIOD,
              "forgetting of answered requests",
              () -> answered.forget(clock.instant().minus(configuration.idempotencyTime())));
          return tasks;
        });
  }

  @Bean
  Running<AutoCloseable> eventStreams(AccountEvents events) {
    return Running.atStop(Stage.EVENT_STREAMS, events);
  }

  @Bean
  TrustedProxies trustedProxies(BillingConfiguration configuration) {
    return configuration.rest().trustedProxies();
  }

  @Bean
  LoginGate gate(
      LoginThrottle throttle,
      KnownBrowsers browsers,
      BillingConfiguration configuration,
      InstantSource clock) {
    return new LoginGate(throttle, browsers, configuration.rest().trustedProxies(), clock);
  }

  @Bean
  WebServerFactoryCustomizer<TomcatServletWebServerFactory> tomcatProblems() {
    return tomcat ->
        tomcat.addContextCustomizers(context -> {
          if (context.getParent() instanceof StandardHost host) {
            host.setErrorReportValveClass(TomcatProblem.class.getName());
          }
        });
  }

  @Bean
  AuditLog auditLog(JdbcClient jdbc) {
    return new AuditLog(jdbc);
  }

  @Bean
  WebMvcConfigurer requestRules(AuditLog log, InstantSource clock) {
    return new WebMvcConfigurer() {
      @Override
      public void addInterceptors(InterceptorRegistry registry) {
        registry.addInterceptor(new AuditedRequests(log, clock)).addPathPatterns("/api/**");
      }
    };
  }

  @Bean
  ApiDescription apiDescription() {
    return new ApiDescription();
  }

  @Bean
  OpenAPI api() {
    SpringDocUtils.getConfig().addRequestWrapperToIgnore(Caller.class);
    return new OpenAPI()
        .info(
            new Info()
                .title("Viaduct DANUM billing")
                .version("1")
                .description(
                    "Money is integer micro-denarii as strings. Refusals are problems (RFC 9457)."))
        .servers(List.of(new Server().url("/")))
        .components(
            new Components()
                .addSecuritySchemes(
                    "bearer", new SecurityScheme().type(SecurityScheme.Type.HTTP).scheme("bearer")))
        .addSecurityItem(new SecurityRequirement().addList("bearer"));
  }
}
