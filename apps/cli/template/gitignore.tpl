node_modules/
