package shop;

import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.http.client.HttpComponentsClientHttpRequestFactory;
import org.springframework.web.client.RestClient;

/** A shop on Spring Boot with PostgreSQL and a service of quotes: it reads application.properties in its folder. */
@SpringBootConfiguration
@EnableAutoConfiguration
@EnableConfigurationProperties(Application.Dials.class)
@Import(Orders.class)
public class Application {
    /** What is turned: of the prefix "shop"; pools and threads are Spring's own properties. */
    @ConfigurationProperties("shop")
    public record Dials(
            int quotesPort, int quoteConnections, boolean held, String column, int orders, int queries,
            double hotMs, boolean write, double unclosed, double lockMs, int logLines, int liveMb,
            int allocateKb, int replaced, int work) {}

    public static void main(String[] words) {
        SpringApplication.run(Application.class, words);
    }

    @Bean
    RestClient quotes(Dials dials) {
        var connections = PoolingHttpClientConnectionManagerBuilder.create()
                .setMaxConnPerRoute(dials.quoteConnections())
                .setMaxConnTotal(dials.quoteConnections())
                .build();
        var client = HttpClients.custom().setConnectionManager(connections).build();
        return RestClient.builder()
                .requestFactory(new HttpComponentsClientHttpRequestFactory(client))
                .baseUrl("http://127.0.0.1:" + dials.quotesPort())
                .build();
    }
}
