package io.viaduct.billing.rest;

import io.micrometer.core.instrument.MeterRegistry;
import io.swagger.v3.oas.models.Components;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.info.Info;
import io.swagger.v3.oas.models.security.SecurityRequirement;
import io.swagger.v3.oas.models.security.SecurityScheme;
import io.swagger.v3.oas.models.servers.Server;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.account.Credits;
import io.viaduct.billing.account.KnownBrowsers;
import io.viaduct.billing.account.LoginSessions;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.account.LoginThrottle;
import io.viaduct.billing.account.TopUps;
import io.viaduct.billing.ledger.Ledger;
import io.viaduct.billing.ledger.LedgerVerification;
import io.viaduct.billing.mediation.HeldReportRelease;
import io.viaduct.billing.mediation.RefusedReports;
import io.viaduct.billing.provisioning.Devices;
import io.viaduct.billing.provisioning.Users;
import io.viaduct.billing.settlement.ChargeListener;
import io.viaduct.billing.settlement.HeldReports;
import io.viaduct.billing.settlement.SequenceGaps;
import io.viaduct.billing.settlement.UnsignedIntervals;
import io.viaduct.billing.tariff.TariffBook;
import io.viaduct.service.throttle.TrustedProxies;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.springdoc.core.utils.SpringDocUtils;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import tools.jackson.databind.json.JsonMapper;

/// The HTTP interface: Spring MVC on Tomcat, with one virtual thread per request. The composition
/// root passes in the parts that it uses.
public final class RestServer implements AutoCloseable {
  /// Time that running requests have to finish after SIGTERM.
  private static final String DRAIN = "5s";

  private final ServletWebServerApplicationContext context;

  private RestServer(ServletWebServerApplicationContext context) {
    this.context = context;
  }

  /// The parts of billing that the interface uses.
  public record Parts(
      Accounts accounts,
      Users users,
      Devices devices,
      LoginSessions sessions,
      LoginThrottle throttle,
      KnownBrowsers browsers,
      TrustedProxies proxies,
      TopUps topUps,
      Credits credits,
      Ledger ledger,
      LedgerVerification verification,
      TariffBook tariffs,
      RefusedReports refusedReports,
      SequenceGaps gaps,
      HeldReports held,
      Function<ChargeListener, HeldReportRelease> release,
      UnsignedIntervals unsigned,
      JdbcClient jdbc,
      MeterRegistry meters,
      InstantSource clock) {}

  @SpringBootConfiguration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Application {}

  /// Starts to listen.
  ///
  /// @param port 0 for any free port
  public static RestServer start(String host, int port, Parts parts) {
    SpringDocUtils.getConfig().addRequestWrapperToIgnore(Caller.class);
    SpringApplication application = new SpringApplication(Application.class);
    application.setWebApplicationType(WebApplicationType.SERVLET);
    application.setBannerMode(Banner.Mode.OFF);
    application.setLogStartupInfo(false);
    application.setRegisterShutdownHook(false);
    application.setLazyInitialization(true);
    application.setDefaultProperties(
        Map.ofEntries(
            Map.entry("server.address", host),
            Map.entry("server.port", port),
            Map.entry("server.shutdown", "graceful"),
            Map.entry("spring.lifecycle.timeout-per-shutdown-phase", DRAIN),
            Map.entry("spring.threads.virtual.enabled", true),
            Map.entry("spring.web.resources.add-mappings", false),
            Map.entry("spring.mvc.log-resolved-exception", false),
            Map.entry("server.tomcat.max-http-response-header-size", "16KB"),
            Map.entry("server.tomcat.max-connections", 4096),
            // A caller who pauses for longer within a request loses the connection.
            Map.entry("server.tomcat.connection-timeout", "5s"),
            Map.entry("server.tomcat.keep-alive-timeout", "60s"),
            Map.entry("server.error.whitelabel.enabled", false),
            Map.entry("springdoc.api-docs.enabled", true),
            Map.entry("springdoc.api-docs.version", "openapi_3_1"),
            Map.entry("springdoc.writer-with-order-by-keys", true),
            Map.entry("springdoc.override-with-generic-response", false),
            Map.entry("springdoc.default-produces-media-type", "application/json")));
    application.addInitializers(context -> register((GenericApplicationContext) context, parts));
    return new RestServer((ServletWebServerApplicationContext) application.run());
  }

  private static void register(GenericApplicationContext context, Parts p) {
    context.registerBean(JsonMapper.class, JsonBody::mapper);
    context.registerBean(Problems.class, () -> new Problems(p.meters()));
    Charges charges = new Charges(p.jdbc());
    context.registerBean(Charges.class, () -> charges);
    AccountEvents events = new AccountEvents(p.ledger(), charges, p.clock(), p.meters());
    context.registerBean(AccountEvents.class, () -> events);
    LoginGate gate = new LoginGate(p.throttle(), p.browsers(), p.proxies(), p.clock());
    context.registerBean(
        SessionsResource.class,
        () -> new SessionsResource(p.accounts(), p.sessions(), gate, p.clock(), p.meters()));
    context.registerBean(
        AccountsResource.class,
        () -> new AccountsResource(p.accounts(), p.ledger(), events, p.jdbc(), p.clock()));
    context.registerBean(
        UsersResource.class, () -> new UsersResource(p.users(), p.devices(), gate, p.clock()));
    context.registerBean(
        TopUpsResource.class,
        () -> new TopUpsResource(p.accounts(), p.topUps(), events, p.clock()));
    context.registerBean(
        CreditsResource.class,
        () -> new CreditsResource(p.accounts(), p.credits(), events, p.clock()));
    context.registerBean(ChargesResource.class, () -> new ChargesResource(p.accounts(), charges));
    context.registerBean(
        UsageResource.class, () -> new UsageResource(p.accounts(), new Usage(p.jdbc())));
    context.registerBean(TariffsResource.class, () -> new TariffsResource(p.tariffs(), p.clock()));
    context.registerBean(
        OperatorResource.class,
        () -> new OperatorResource(p.refusedReports(), p.gaps(), p.verification(), p.clock()));
    context.registerBean(ErrorPath.class, ErrorPath::new);
    context.registerBean(AnswerRules.class, AnswerRules::new);
    context.registerBean(
        HeldReportsResource.class,
        () -> new HeldReportsResource(p.held(), p.release().apply(events), p.clock()));
    context.registerBean(
        UnsignedResource.class, () -> new UnsignedResource(p.unsigned(), events, p.clock()));
    context.registerBean(OpenAPI.class, RestServer::description);
    context.registerBean(ApiDescription.class, ApiDescription::new);
    BearerCheck bearer = new BearerCheck(p.sessions(), p.clock());
    context.registerBean(WebMvcConfigurer.class, () -> checking(bearer));
  }

  private static WebMvcConfigurer checking(BearerCheck bearer) {
    return new WebMvcConfigurer() {
      @Override
      public void addInterceptors(InterceptorRegistry registry) {
        registry.addInterceptor(bearer).addPathPatterns("/api/**");
        registry.addInterceptor(new QueryCheck()).addPathPatterns("/api/**");
      }

      @Override
      public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
        resolvers.add(bearer);
      }
    };
  }

  private static OpenAPI description() {
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

  /// Returns the listener that must be called for each committed charge.
  public ChargeListener listener() {
    return context.getBean(AccountEvents.class);
  }

  /// Returns the port that the server listens on.
  public int port() {
    var server = context.getWebServer();
    if (server == null) {
      throw new IllegalStateException("the web server has stopped");
    }
    return server.getPort();
  }

  /// Ends the event streams, then waits for running requests.
  @Override
  public void close() {
    context.getBean(AccountEvents.class).close();
    context.close();
  }
}
