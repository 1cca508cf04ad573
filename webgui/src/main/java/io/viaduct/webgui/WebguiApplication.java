package io.viaduct.webgui;

import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.spring.SpringService;
import io.viaduct.webgui.account.ApiTokens;
import io.viaduct.webgui.account.LiveStreams;
import io.viaduct.webgui.account.SecondFactors;
import io.viaduct.webgui.account.Webhooks;
import io.viaduct.webgui.billing.AccessBilling;
import io.viaduct.webgui.billing.AccountCredits;
import io.viaduct.webgui.billing.Billing;
import io.viaduct.webgui.billing.BroughtMoney;
import io.viaduct.webgui.billing.CallBilling;
import io.viaduct.webgui.billing.DeviceReportBilling;
import io.viaduct.webgui.bridge.SnaptDirectory;
import io.viaduct.webgui.configuration.WebguiConfiguration;
import io.viaduct.webgui.configuration.WebguiConfiguration.Limits;
import io.viaduct.webgui.configuration.WebguiConfiguration.Telephones;
import io.viaduct.webgui.login.BillingLogin;
import io.viaduct.webgui.login.RefusedRequests;
import io.viaduct.webgui.operator.DiscrepancyBilling;
import io.viaduct.webgui.operator.EnrolledSnapts;
import io.viaduct.webgui.operator.OperatorBilling;
import io.viaduct.webgui.operator.ReratingBilling;
import io.viaduct.webgui.page.Languages;
import io.viaduct.webgui.page.Viewer;
import io.viaduct.webgui.peer.BearerToken;
import io.viaduct.webgui.peer.JsonPeer;
import io.viaduct.webgui.peer.PeerName;
import io.viaduct.webgui.tariff.Tariffs;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletResponse;
import java.net.URI;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.web.servlet.LocaleResolver;

/// The composition root: a visitor's request passes [io.viaduct.webgui.login.PageSecurity], reaches
/// the controller of its page, which asks billing or the bridge and fills a template.
@SpringBootApplication(proxyBeanMethods = false)
public class WebguiApplication {
  /// Returns the pages, not yet started.
  public static SpringService of(WebguiConfiguration configuration) {
    return SpringService.of(
            "webgui",
            WebguiApplication.class,
            configuration,
            "http",
            configuration.http().host(),
            configuration.http().port(),
            configuration.operations())
        .with(PageSettings.of(configuration.http()));
  }

  @Bean
  Telephones telephones(WebguiConfiguration configuration) {
    return configuration.telephones();
  }

  @Bean
  Limits limits(WebguiConfiguration configuration) {
    return configuration.limits();
  }

  @Bean
  Languages languages() {
    return new Languages();
  }

  @Bean
  LocaleResolver localeResolver(Languages languages, WebguiConfiguration configuration) {
    return new Viewer(languages, configuration.http().secureCookies());
  }

  @Bean
  JsonPeer billingPeer(WebguiConfiguration configuration, MeterRegistry meters) {
    return peer(PeerName.BILLING, configuration.billing().url(), configuration.limits(), meters);
  }

  @Bean
  Billing billing(JsonPeer billingPeer) {
    return new Billing(billingPeer);
  }

  @Bean
  EnrolledSnapts enrolledSnapts(JsonPeer billingPeer) {
    return new EnrolledSnapts(billingPeer);
  }

  @Bean
  OperatorBilling operatorBilling(JsonPeer billingPeer) {
    return new OperatorBilling(billingPeer);
  }

  @Bean
  DeviceReportBilling deviceReportBilling(JsonPeer billingPeer) {
    return new DeviceReportBilling(billingPeer);
  }

  @Bean
  AccessBilling accessBilling(JsonPeer billingPeer) {
    return new AccessBilling(billingPeer);
  }

  @Bean
  CallBilling callBilling(JsonPeer billingPeer) {
    return new CallBilling(billingPeer);
  }

  @Bean
  DiscrepancyBilling discrepancyBilling(JsonPeer billingPeer) {
    return new DiscrepancyBilling(billingPeer);
  }

  @Bean
  ReratingBilling reratingBilling(JsonPeer billingPeer) {
    return new ReratingBilling(billingPeer);
  }

  @Bean
  Webhooks webhooks(JsonPeer billingPeer) {
    return new Webhooks(billingPeer);
  }

  @Bean
  ApiTokens apiTokens(JsonPeer billingPeer) {
    return new ApiTokens(billingPeer);
  }

  @Bean
  Tariffs tariffs(JsonPeer billingPeer) {
    return new Tariffs(billingPeer);
  }

  @Bean
  AccountCredits accountCredits(JsonPeer billingPeer) {
    return new AccountCredits(billingPeer);
  }

  @Bean
  BroughtMoney broughtMoney(JsonPeer billingPeer) {
    return new BroughtMoney(billingPeer);
  }

  @Bean
  SnaptDirectory snaptDirectory(WebguiConfiguration configuration, MeterRegistry meters) {
    return new SnaptDirectory(
        peer(PeerName.BRIDGE, configuration.bridge().url(), configuration.limits(), meters),
        new BearerToken(configuration.bridge().tokenFile().reveal()));
  }

  @Bean
  BillingLogin billingLogin(Billing billing, MeterRegistry meters) {
    return new BillingLogin(billing, meters);
  }

  @Bean
  SecondFactors secondFactors(JsonPeer billingPeer) {
    return new SecondFactors(billingPeer);
  }

  @Bean
  RefusedRequests refusedRequests(MeterRegistry meters) {
    return new RefusedRequests(meters);
  }

  @Bean
  LiveStreams liveStreams(Limits limits, RefusedRequests refused, MeterRegistry meters) {
    return new LiveStreams(limits, refused, meters);
  }

  /// To a visitor there is nothing at the path that Tomcat forwards failures to.
  @Bean
  FilterRegistrationBean<Filter> errorPath() {
    FilterRegistrationBean<Filter> filter =
        new FilterRegistrationBean<>((request, response, _) ->
            ((HttpServletResponse) response).sendError(HttpServletResponse.SC_NOT_FOUND));
    filter.addUrlPatterns("/error");
    filter.setDispatcherTypes(DispatcherType.REQUEST);
    return filter;
  }

  private static JsonPeer peer(PeerName name, URI url, Limits limits, MeterRegistry meters) {
    return new JsonPeer(name, url, limits.peerTimeout(), limits.answerBytes(), meters);
  }
}
