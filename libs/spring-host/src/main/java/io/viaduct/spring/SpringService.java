package io.viaduct.spring;

import io.viaduct.service.configuration.ConfigurationException;
import io.viaduct.service.operations.Listening;
import io.viaduct.service.operations.OperationsSettings;
import io.viaduct.spring.operations.ActuatorSettings;
import io.viaduct.spring.operations.ServiceIdentity;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.support.EnvironmentPostProcessorApplicationListener;
import org.springframework.boot.web.server.WebServerException;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

/// A service that is one Spring Boot application. Its configuration is a record that was loaded and
/// checked before; Spring gets the record as a bean, and reads no configuration of its own. Beans
/// are made when they are first needed, except those marked `@Lazy(false)` and lifecycle beans.
public final class SpringService implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SpringService.class);

  /// Longest wait for a start that is under way when the service is closed.
  private static final Duration START_PATIENCE = Duration.ofSeconds(30);

  /// Time that running requests have to finish.
  private static final String DRAIN = "5s";

  private final Class<?> application;
  private final HttpListener http;
  private final OperationsSettings operations;
  private final Map<String, Object> settings = new HashMap<>();
  private final List<Consumer<GenericApplicationContext>> beans = new ArrayList<>();
  private final ReentrantLock starting = new ReentrantLock();
  private volatile @Nullable ConfigurableApplicationContext context;
  private volatile boolean httpListens; // written by the thread that starts

  private SpringService(
      ServiceIdentity identity, HttpListener http, OperationsSettings operations) {
    this.application = identity.main();
    this.http = http;
    this.operations = operations;
    settings.put("spring.application.name", identity.name());
    settings.put("server.address", http.host());
    settings.put("server.port", 0); // see HttpListener
    settings.put("server.shutdown", "graceful");
    settings.put("spring.lifecycle.timeout-per-shutdown-phase", DRAIN);
    settings.put("spring.threads.virtual.enabled", true);
    settings.put("spring.autoconfigure.exclude", UnusedConfigurations.names());
    settings.putAll(ActuatorSettings.of(operations));
    beans.add(context -> single(context, ServiceIdentity.class, identity));
    beans.add(context -> single(context, HttpListener.class, http));
  }

  /// Describes a service; nothing starts yet.
  ///
  /// @param name name of the service, such as `ims-bridge`
  /// @param application the class with `@SpringBootApplication`
  /// @param configuration validated configuration, which becomes a bean
  /// @param mapping configuration key of the HTTP listener: `http` for keys `http.host` and
  ///   `http.port`
  /// @param port 0 for any free port; then Spring's `local.server.port` names it
  public static <T extends Record> SpringService of(
      String name,
      Class<?> application,
      T configuration,
      String mapping,
      String host,
      int port,
      OperationsSettings operations) {
    SpringService service =
        new SpringService(
            new ServiceIdentity(name, application),
            new HttpListener(mapping, host, port),
            operations);
    @SuppressWarnings("unchecked") // the class of a T
    Class<T> type = (Class<T>) configuration.getClass();
    return service.with(type, configuration);
  }

  /// Adds properties of Spring.
  public SpringService with(Map<String, Object> properties) {
    settings.putAll(properties);
    return this;
  }

  /// Adds a bean; auto-configured beans of this type back off.
  public <T> SpringService with(Class<T> type, T bean) {
    beans.add(context -> single(context, type, bean));
    return this;
  }

  /// Adds a bean that starts before Spring reads any other class, for work that takes longer than
  /// the start of Spring. It is closed after all beans that use it, also if the start fails.
  public <T extends AutoCloseable> SpringService first(Class<T> type, Supplier<T> start) {
    beans.add(context -> context.addBeanFactoryPostProcessor(first(context, type, start)));
    return this;
  }

  // Such a processor runs before Spring reads the classes, and within the part of the start whose
  // failure closes all beans.
  private static <T extends AutoCloseable> BeanDefinitionRegistryPostProcessor first(
      GenericApplicationContext context, Class<T> type, Supplier<T> start) {
    return _ -> {
      T started = start.get();
      context.getDefaultListableBeanFactory().registerSingleton(type.getName(), started);
      context
          .getDefaultListableBeanFactory()
          .registerDisposableBean(type.getName(), started::close);
    };
  }

  private static <T> void single(GenericApplicationContext context, Class<T> type, T bean) {
    context.registerBean(type, () -> bean, definition -> definition.setDestroyMethodName(null));
  }

  /// Starts the application; returns when it listens and all lifecycle beans have started.
  ///
  /// @throws IOException if an address, a file or another resource is not available; the message is
  ///   one line for an operator
  /// @throws ConfigurationException if a part refuses the configuration
  public ConfigurableApplicationContext start() throws IOException {
    // One form of logs in all processes. Spring reads this setting only from a system property.
    System.setProperty(LoggingSystem.SYSTEM_PROPERTY, LoggingSystem.NONE);
    SpringApplication boot = new SpringApplication(application);
    boot.setEnvironment(new ServiceEnvironment(settings));
    boot.setListeners(
        boot.getListeners().stream()
            // This one reads application.yml, environment variables and SPRING_APPLICATION_JSON.
            .filter(listener -> !(listener instanceof EnvironmentPostProcessorApplicationListener))
            .toList());
    boot.addListeners((ApplicationListener<WebServerInitializedEvent>) _ -> httpListens = true);
    boot.addInitializers(this::prepare);
    boot.setBannerMode(Banner.Mode.OFF);
    boot.setLogStartupInfo(false);
    boot.setRegisterShutdownHook(false); // CleanStop has it: a clean stop is exit code 0
    boot.setLazyInitialization(true);
    starting.lock();
    try {
      return boot.run();
    } catch (RuntimeException e) {
      throw refusal(e);
    } finally {
      starting.unlock();
    }
  }

  private void prepare(ConfigurableApplicationContext made) {
    context = made;
    beans.forEach(bean -> bean.accept((GenericApplicationContext) made));
  }

  /// Throws the cause that an operator can repair, or returns the failure if it is a defect.
  private RuntimeException refusal(RuntimeException failure) throws IOException {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof WebServerException) {
        String mapping = httpListens ? "operations" : http.mapping();
        return Listening.on(
            mapping + ".host",
            mapping + ".port",
            "TCP",
            httpListens ? operations.host() : http.host(),
            httpListens ? operations.port() : http.port(),
            () -> {
              throw failure;
            });
      }
      if (cause instanceof IOException unavailable) {
        throw unavailable;
      }
      if (cause instanceof ConfigurationException refused) {
        return refused;
      }
    }
    LOG.error("the service cannot start because of a defect in this program", failure);
    return failure;
  }

  /// Stops the application. If it is still starting, waits for the end of the start first: only
  /// then all its parts can be stopped.
  @Override
  public void close() {
    boolean locked = false;
    try {
      locked = starting.tryLock(START_PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    try {
      ConfigurableApplicationContext made = context;
      if (made != null) {
        made.close();
      }
    } finally {
      if (locked) {
        starting.unlock();
      }
    }
  }
}
