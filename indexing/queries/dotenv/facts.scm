; Variables of the environment
(variable_assignment name: (variable_name) @env.name)
